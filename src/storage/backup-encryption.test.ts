import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { decryptFile, encryptFile, isEncryptedBackup } from './backup-encryption.ts';

const [headerBytes, chunkBytes] = [51, 1024 * 1024 + 16];
const passphrase = 'a passphrase of some length';

function files(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-encryption-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [from, sealed, to] = ['plain', 'sealed', 'opened'].map((name) => join(folder, name));
  assert.ok(from && sealed && to);
  return { from, sealed, to };
}

test('files of any size come back as they were, and no part of them can be read', async (t) => {
  const { from, sealed, to } = files(t);
  for (const size of [0, 1, 1024 * 1024, 1024 * 1024 + 1, 2.5 * 1024 * 1024]) {
    const content = randomBytes(size);
    writeFileSync(from, content);
    await encryptFile({ from, to: sealed, passphrase, log2N: 4 });
    assert.equal(await isEncryptedBackup(from), false);
    assert.equal(await isEncryptedBackup(sealed), true);
    const chunks = Math.max(1, Math.ceil(size / (1024 * 1024)));
    const bytes = readFileSync(sealed);
    assert.equal(bytes.length, headerBytes + size + 16 * chunks);
    if (size > 16) assert.equal(bytes.includes(content.subarray(0, 16)), false);
    await decryptFile(sealed, to, passphrase);
    assert.ok(readFileSync(to).equals(content), String(size));
  }
});

test('another passphrase, and any change of the file, are refused in one line', async (t) => {
  const { from, sealed, to } = files(t);
  writeFileSync(from, randomBytes(2.5 * 1024 * 1024));
  await encryptFile({ from, to: sealed, passphrase, log2N: 4 });
  const whole = readFileSync(sealed);
  await assert.rejects(decryptFile(sealed, to, `${passphrase}.`), /^Error: the passphrase does not open /);
  const chunk = (at: number) =>
    whole.subarray(headerBytes + at * chunkBytes, headerBytes + (at + 1) * chunkBytes);
  const header = whole.subarray(0, headerBytes);
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  const changes: Readonly<Record<string, Buffer>> = {
    'a bit of the first chunk': flipped(headerBytes),
    'a bit of the last tag': flipped(whole.length - 1),
    'a bit of the nonces': flipped(30),
    'exchanged chunks': Buffer.concat([header, chunk(1), chunk(0), chunk(2)]),
    'a chunk left out': Buffer.concat([header, chunk(0), chunk(2)]),
    'the last chunk cut off': Buffer.concat([header, chunk(0), chunk(1)]),
    'a byte cut off': whole.subarray(0, whole.length - 1),
    'bytes added': Buffer.concat([whole, Buffer.alloc(20)]),
    'only the header': header,
    'half a header': header.subarray(0, 20),
    'unknown parameters': flipped(8).fill(60, 8, 9),
  };
  for (const [change, bytes] of Object.entries(changes)) {
    writeFileSync(sealed, bytes);
    await assert.rejects(decryptFile(sealed, to, passphrase), /^Error: \S+ is damaged/, change);
  }
});
