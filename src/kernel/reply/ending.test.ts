import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CodeOwner } from './code-owner.ts';
import { EndListeners } from './ending.ts';

const ending = { how: 'complete' } as const;
const noFault = (fault: unknown) => assert.fail(String(fault));
const module: CodeOwner = {
  handleFault: (fault) => fault,
  runTimed: (task) => task(),
  awaitInner: (inner) => inner,
  awaitFinal: (work) => work.then((done) => done),
};

test('listeners are called synchronously, those of the gateway first, and their work is awaited', async () => {
  const listeners = new EndListeners();
  const order: string[] = [];
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  const storeLater = async () => {
    order.push('module');
    await stored;
    order.push('stored');
  };
  listeners.add(storeLater, module, noFault);
  listeners.add(() => void order.push('gateway'), undefined, noFault);
  const notified = Promise.resolve(listeners.notify(ending, noFault)).then(() => order.push('all done'));
  assert.deepEqual(order, ['gateway', 'module']);
  store();
  await notified;
  assert.deepEqual(order, ['gateway', 'module', 'stored', 'all done']);
});

test('a listener in JavaScript may return anything', async () => {
  const listeners = new EndListeners();
  for (const result of [0, 3, null, 'text', {}])
    Reflect.apply(listeners.add, listeners, [() => result, module, noFault]);
  await listeners.notify(ending, noFault);
});
