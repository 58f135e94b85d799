import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from './at.ts';

const mebibyte = 1024 * 1024;

type SmallDisk = ReturnType<typeof diskAt> & { unmount(): void };

/** A disk of some megabytes, in memory; undefined where nothing may be mounted. */
export function mountSmallDisk(mebibytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'weir-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  // Servers that don't run as root have folders here.
  chmodSync(folder, 0o777);
  const unmount = () => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  };
  return { ...diskAt(folder), unmount };
}

/** A disk that can be filled. */
export function diskAt(folder: string) {
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill(): void {
      const file = openSync(ballast, 'w');
      try {
        for (let size = mebibyte; size >= 1; size = Math.floor(size / 2)) fillWith(file, size);
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(ballast),
  };
}

/** Pieces of this size until one doesn't fit. */
function fillWith(file: number, size: number): void {
  const piece = Buffer.alloc(size);
  try {
    while (writeSync(file, piece) === size);
  } catch (error) {
    assert.equal(at(error, 'code'), 'ENOSPC');
  }
}
