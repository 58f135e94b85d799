import { readFile } from 'node:fs/promises';
import { digestOf } from '../gateway/configuration-file/read-configuration-file.ts';
import { limits } from './limits.ts';

/**
 * Calls back when the content of files has changed since these digests, however they were replaced: editors rename, and Kubernetes
 * turns a link to another folder. So their content is compared, once a second, and a change counts when it has stayed for another.
 */
export function watchFiles(
  digests: () => ReadonlyMap<string, string>,
  onChange: () => void,
): { close(): void } {
  let known = joined([...digests()]);
  let pending: string | undefined;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const now = joined(await Promise.all([...digests().keys()].map(readDigest)));
    isLooking = false;
    if (now !== known && now === pending) {
      known = now;
      onChange();
    }
    pending = now;
  };
  void look();
  const timer = setInterval(() => void look(), limits.fileWatchMs).unref();
  return { close: () => clearInterval(timer) };
}

async function readDigest(path: string): Promise<[string, string]> {
  return [path, digestOf(await readFile(path).catch(() => undefined))];
}

function joined(digests: readonly [string, string][]): string {
  return digests
    .map((entry) => entry.join(' '))
    .toSorted()
    .join();
}
