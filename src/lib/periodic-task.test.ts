import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { PeriodicTask } from './periodic-task.ts';

test('runs at intervals, and reports failures without stopping', async () => {
  const errors: unknown[] = [];
  const thirdRun = Promise.withResolvers<void>();
  let runs = 0;
  const task = new PeriodicTask({
    intervalMs: 1,
    async run() {
      runs += 1;
      if (runs === 3) thirdRun.resolve();
      throw new Error(`run ${runs}`);
    },
    onError: (error) => errors.push(error),
  });
  const alive = setInterval(() => undefined, 1000);
  task.start();
  await thirdRun.promise;
  await task.stop();
  clearInterval(alive);
  assert.equal(runs, 3);
  assert.deepEqual(errors.slice(0, 2).map(String), ['Error: run 1', 'Error: run 2']);
});

test('joins the run in progress', async () => {
  const end = Promise.withResolvers<number>();
  let runs = 0;
  const task = new PeriodicTask({
    intervalMs: 1000,
    run() {
      runs += 1;
      return end.promise;
    },
    onError: assert.fail,
  });
  const joined = Promise.all([task.run(), task.run()]);
  task.trigger();
  end.resolve(7);
  assert.deepEqual(await joined, [7, 7]);
  assert.equal(runs, 1);
});

test('waits for the run in progress, which learns that it is to end', async () => {
  let ended = false;
  const task: PeriodicTask = new PeriodicTask({
    intervalMs: 1000,
    async run() {
      await once(task.signal, 'abort');
      ended = true;
      throw new Error('ended early');
    },
    onError: () => undefined,
  });
  task.trigger();
  await task.stop();
  assert.ok(ended);
});
