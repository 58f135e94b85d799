import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Beside a backup, in the format of `sha256sum`. */
export function checksumFileOf(file: string): string {
  return `${file}.sha256`;
}

export async function writeChecksum(file: string): Promise<void> {
  writeFileSync(checksumFileOf(file), `${await hashFile(file)}  ${basename(file)}\n`, { mode: 0o600 });
}

/** Resolves to whether there is a checksum; throws if the file does not match it. */
export async function verifyChecksum(file: string): Promise<boolean> {
  const beside = checksumFileOf(file);
  if (!existsSync(beside)) return false;
  const [expected = ''] = readFileSync(beside, 'utf8').trim().split(/\s/, 1);
  if (!/^[0-9a-f]{64}$/i.test(expected)) throw new Error(`${beside} has no SHA-256 checksum`);
  if ((await hashFile(file)) !== expected.toLowerCase())
    throw new Error(`${file} is damaged: it does not match the SHA-256 checksum in ${beside}`);
  return true;
}

async function hashFile(file: string): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) sha256.update(chunk);
  return sha256.digest('hex');
}
