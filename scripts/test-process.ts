// A process that runs files of tests one after another: to start it and its first gateway takes longer than most files do.
import { AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { takeFrom } from './test-queue.ts';
import { noteFile } from './test-times.ts';

export function runQueue(folder: string): void {
  const files = takeFrom(folder);
  const outside = new AsyncResource('tests');
  let isBroken = false;
  const runNext = () => {
    const { value: file } = files.next();
    if (file === undefined) return;
    outside.runInAsyncScope(suite, undefined, file, async () => {
      const inside = new AsyncResource('file');
      // The runner ends when nothing is left to run, so the next file is there before this one is over.
      const follow = () =>
        after(() => {
          noteFile(file);
          runNext();
        });
      await import(pathToFileURL(resolve(file)).href)
        .catch((fault: unknown) => {
          isBroken = true;
          throw fault;
        })
        .finally(() => inside.runInAsyncScope(follow));
    });
  };
  // What a file opened before it failed to load would keep the process for ever.
  after(() => isBroken && setTimeout(() => process.exit(1), 1000));
  runNext();
}
