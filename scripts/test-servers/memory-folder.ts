import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const sharedMemory = '/dev/shm';
/** Several times what the files of four test processes take. */
const bytesMin = 4 * 1024 ** 3;

/** A folder for temporary files in memory, where a sync takes no time; undefined on a system without enough of it. */
export function makeMemoryFolder(): { readonly folder: string; remove(): void } | undefined {
  if (!existsSync(sharedMemory)) return undefined;
  const { bavail, bsize } = statfsSync(sharedMemory);
  if (bavail * bsize < bytesMin) return undefined;
  const folder = mkdtempSync(join(sharedMemory, 'weir-'));
  // PostgreSQL runs as another user, and removes its folder itself.
  chmodSync(folder, 0o1777);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
