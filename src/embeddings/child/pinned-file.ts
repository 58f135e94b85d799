import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file with its expected hash. */
export interface PinnedFile {
  readonly path: string;
  readonly sha256: string;
}

export function readPinnedFile({ path, sha256 }: PinnedFile): Buffer {
  const bytes = readFileSync(path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`${path} has an unexpected SHA-256`);
  return bytes;
}
