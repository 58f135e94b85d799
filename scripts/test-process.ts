// A process that runs files of tests one after another: to start it and its first gateway takes longer than most files do.
import { AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { followPromises } from './test-hooks.ts';
import { takeFrom } from './test-queue.ts';
import { noteFile } from './test-times.ts';

export function runQueue(folder: string): void {
  const files = takeFrom(folder);
  const outside = new AsyncResource('tests');
  let isBroken = false;
  const runNext = () => {
    const { value: file } = files.next();
    if (file === undefined) return;
    // The runner ends when nothing is left to run, so the next file is there before this one is over.
    const follow = () => {
      noteFile(file);
      outside.runInAsyncScope(runNext);
    };
    // What a file does before and after each of its tests is for these alone.
    suite(file, () =>
      followPromises(async () => {
        try {
          await import(pathToFileURL(resolve(file)).href);
        } catch (fault) {
          isBroken = true;
          throw fault;
        } finally {
          after(follow);
        }
      }),
    );
  };
  // What a file opened before it failed to load would keep the process for ever.
  after(() => isBroken && setTimeout(() => process.exit(1), 1000));
  runNext();
}
