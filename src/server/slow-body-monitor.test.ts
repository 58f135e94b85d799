import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IncomingBody, SlowBodyMonitor } from './slow-body-monitor.ts';

const graceMs = 500;

test('a body that does not arrive is ended, but not for a time in which nobody could hear its client', async () => {
  const monitor = new SlowBodyMonitor(graceMs);
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  let isAborted = false;
  const body = new IncomingBody(() => {
    isAborted = true;
    resolve();
  });
  monitor.add(body);
  holdUp(3 * graceMs);
  // The check that was due meanwhile comes before this.
  await sleep(1);
  assert.equal(isAborted, false);
  await aborted;
  monitor.delete(body);
});

/** Nothing else of this thread runs. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
