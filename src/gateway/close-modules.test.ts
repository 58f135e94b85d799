import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeModules } from './close-modules.ts';

test('modules are closed together, and one that fails or never ends keeps no other waiting', async () => {
  const errors: string[] = [];
  const begun: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const closing = (name: string, close: () => void | Promise<void>) => ({
    name,
    close: () => {
      begun.push(name);
      return close();
    },
  });
  const modules = [
    closing('stuck', () => new Promise(() => undefined)),
    closing('broken', () => {
      throw new Error('oops');
    }),
    { name: 'plain' },
    closing('waiting', () => promise),
    closing('last', resolve),
  ];
  await closeModules(modules, { timeoutMs: 100, onError: (name, error) => errors.push(`${name}: ${error}`) });
  assert.deepEqual(begun, ['stuck', 'broken', 'waiting', 'last']);
  assert.deepEqual(errors, ['broken: Error: oops', 'stuck: Error: timed out']);
});
