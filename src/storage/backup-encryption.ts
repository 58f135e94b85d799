import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { limits } from './limits.ts';

/*
 * The format of an encrypted backup, integers big-endian:
 *
 *   header, 51 bytes
 *     8  "WEIRBKP1"
 *     1  log2 of scrypt's N     1  r     1  p
 *     1  log2 of the bytes in a chunk
 *    16  salt
 *     7  beginning of the nonces
 *    16  key check
 *   chunks, each with its ciphertext and a tag of 16 bytes; all but the last are full
 *
 * scrypt makes 48 bytes of the passphrase and the salt: the key of AES-256-GCM, and the key check. The nonce of a chunk is
 * the beginning, the number of the chunk in 4 bytes, and 1 for the last chunk, else 0. The header is authenticated with
 * every chunk. So no chunk can be changed, exchanged, left out or cut off.
 */
const magic = Buffer.from('WEIRBKP1');
const headerBytes = 51;
const tagBytes = 16;
const keyBytes = 32;
const cipher = 'aes-256-gcm';
/** 128 MB and half a second for each guess of a passphrase. */
const cost = { log2N: 17, r: 8, p: 1 } as const;
/** The most that a header may ask for, so that a forged one can't take all memory. */
const costMax = { log2N: 20, r: 16, p: 4 } as const;
const log2Chunk = 20;

interface ScryptCost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** Whether a file has the beginning of an encrypted backup. */
export async function isEncryptedBackup(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    return (await readBytes(handle, 0, magic.length)).equals(magic);
  } finally {
    await handle.close();
  }
}

interface EncryptOptions {
  readonly from: string;
  readonly to: string;
  readonly passphrase: string;
  /** Only lower in tests. */
  readonly log2N?: number;
}

export async function encryptFile({ from, to, passphrase, log2N }: EncryptOptions): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const { header, key } = await createHeader(passphrase, {
      ...cost,
      ...(log2N !== undefined && { log2N }),
    });
    await target.write(header);
    for await (const { nonce, at, bytes } of chunksOf((await source.stat()).size, header, 0)) {
      const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(header);
      const content = encryption.update(await readBytes(source, at, bytes));
      encryption.final();
      await target.write(Buffer.concat([content, encryption.getAuthTag()]));
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}

/** Throws a one-line error if the passphrase is wrong or the file is damaged; `to` is incomplete then. */
export async function decryptFile(from: string, to: string, passphrase: string): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const header = await readBytes(source, 0, headerBytes);
    if (header.length < headerBytes) throw new Error(`${from} is damaged: it ends within its header`);
    const key = await openHeader(from, header, passphrase);
    const size = (await source.stat()).size - headerBytes;
    for await (const { nonce, at, bytes } of chunksOf(size, header, tagBytes)) {
      const chunk = await readBytes(source, headerBytes + at, bytes);
      await target.write(openChunk(chunk, { from, at, key, nonce, header }));
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}

interface ChunkParts {
  readonly from: string;
  readonly at: number;
  readonly key: Buffer;
  readonly nonce: Buffer;
  readonly header: Buffer;
}

function openChunk(chunk: Buffer, { from, at, key, nonce, header }: ChunkParts): Buffer {
  const damaged = `${from} is damaged: the chunk at byte ${headerBytes + at} is not authentic`;
  if (chunk.length < tagBytes) throw new Error(damaged);
  const tagAt = chunk.length - tagBytes;
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
    .setAAD(header)
    .setAuthTag(chunk.subarray(tagAt));
  const content = decryption.update(chunk.subarray(0, tagAt));
  try {
    decryption.final();
  } catch (cause) {
    throw new Error(damaged, { cause });
  }
  return content;
}

/** The chunks of a file of this size, at least one, with the bytes that each has besides content. */
function* chunksOf(size: number, header: Buffer, extraBytes: number) {
  const full = 2 ** (header[11] ?? 0) + extraBytes;
  const count = Math.max(1, Math.ceil(size / full));
  for (let number = 0; number < count; number++) {
    const at = number * full;
    const nonce = Buffer.alloc(12);
    header.copy(nonce, 0, 28, 35);
    nonce.writeUInt32BE(number, 7);
    nonce[11] = number === count - 1 ? 1 : 0;
    yield { nonce, at, bytes: Math.max(0, Math.min(full, size - at)) };
  }
}

async function createHeader(
  passphrase: string,
  scryptCost: ScryptCost,
): Promise<{ readonly header: Buffer; readonly key: Buffer }> {
  const salt = randomBytes(16);
  const { key, check } = await deriveKey(passphrase, salt, scryptCost);
  const { log2N, r, p } = scryptCost;
  const parameters = Buffer.from([log2N, r, p, log2Chunk]);
  return { header: Buffer.concat([magic, parameters, salt, randomBytes(7), check]), key };
}

async function openHeader(from: string, header: Buffer, passphrase: string): Promise<Buffer> {
  const [log2N = 0, r = 0, p = 0, chunk = 0] = header.subarray(8, 12);
  const isSupported =
    log2N >= 1 && log2N <= costMax.log2N && r >= 1 && r <= costMax.r && p >= 1 && p <= costMax.p;
  if (!isSupported || chunk < 10 || chunk > 26)
    throw new Error(`${from} is damaged, or was made by a newer version: its header has unknown parameters`);
  const { key, check } = await deriveKey(passphrase, header.subarray(12, 28), { log2N, r, p });
  if (!timingSafeEqual(check, header.subarray(35, headerBytes)))
    throw new Error(`the passphrase does not open ${from}`);
  return key;
}

const deriveBytes = promisify<string, Buffer, number, object, Buffer>(scrypt);

async function deriveKey(
  passphrase: string,
  salt: Buffer,
  { log2N, r, p }: ScryptCost,
): Promise<{ readonly key: Buffer; readonly check: Buffer }> {
  const options = { N: 2 ** log2N, r, p, maxmem: limits.backupKeyBytesMax };
  const made = await deriveBytes(passphrase.normalize('NFC'), salt, keyBytes + 16, options);
  return { key: made.subarray(0, keyBytes), check: made.subarray(keyBytes) };
}

async function readBytes(handle: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}
