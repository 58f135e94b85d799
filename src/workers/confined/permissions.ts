import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '../../gateway/settings.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';

/** The first release of which it is certain that a process can give up permissions. */
const oldestNode = { major: 26, minor: 6 };

/** Whether this Node.js can keep a process from the network, and from threads later. */
export function canConfine(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestNode.major || (major === oldestNode.major && minor >= oldestNode.minor);
}

/**
 * Options of Node.js for a worker in an airgap: it may read files, write its own, and start threads until its modules are
 * loaded. What is not listed is denied: the network, processes, native code, the debugger.
 */
export function confinedOptions({ dataDir, logFile, logFolder }: Settings): readonly string[] {
  const cache = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache');
  const folders = [
    ...(dataDir === inMemoryDataDir ? [] : [dataDir]),
    ...(logFile === undefined ? [] : [dirname(logFile)]),
    ...(logFolder === undefined ? [] : [logFolder.folder]),
    cache,
  ].map((folder) => resolve(folder));
  // The rights to a folder that does not exist would be those to a file.
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return [
    '--permission',
    '--allow-fs-read=*',
    ...folders.map((folder) => `--allow-fs-write=${folder}`),
    '--allow-worker',
    // Says at each start that threads could have other permissions: they have not, and none is started later.
    '--disable-warning=PERM0006',
  ];
}

/** From now on no thread is started: code in it could choose its own permissions. */
export function denyThreads(): void {
  const { permission } = process;
  if (permission === undefined) return;
  const drop: unknown = Reflect.get(permission, 'drop');
  if (typeof drop === 'function') Reflect.apply(drop, permission, ['worker']);
}
