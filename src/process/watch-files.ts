import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { limits } from './limits.ts';

/**
 * Calls back when the content of files has changed, however they were replaced: editors rename, and Kubernetes turns a link
 * to another folder. So their content is compared, once a second, and a change counts when it has stayed for another.
 */
export function watchFiles(files: () => readonly string[], onChange: () => void): { close(): void } {
  let known: string | undefined;
  let pending: string | undefined;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const digest = await digestOf(files());
    isLooking = false;
    known ??= digest;
    if (digest !== known && digest === pending) {
      known = digest;
      onChange();
    }
    pending = digest;
  };
  void look();
  const timer = setInterval(() => void look(), limits.fileWatchMs).unref();
  return { close: () => clearInterval(timer) };
}

async function digestOf(files: readonly string[]): Promise<string> {
  const contents = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.from('missing'))));
  return contents.map((content) => hash('sha256', content)).join();
}
