import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SetUpDatabase } from './set-up.ts';

export function processesConformance(setUp: SetUpDatabase): void {
  test('processes are listed until they were not seen for a while', async (t) => {
    const { database } = await setUp(t);
    const { processes } = database;
    const base = {
      ...{ host: 'one', pid: 7, version: '1.1.0', revision: 'abc' },
      ...{ configuration: 'settings-1', startedAtMs: 100 },
    };
    const first = { ...base, id: 'a', seenAtMs: 100 };
    const second = { ...base, id: 'b', host: 'another', seenAtMs: 150 };
    await processes.see(first);
    await processes.see(second);
    assert.deepEqual(await processes.list(100), [second, first]);
    const later = { ...second, configuration: 'settings-2', seenAtMs: 300 };
    await processes.see(later);
    assert.deepEqual(await processes.list(200), [later]);
    await processes.removeLost(200);
    assert.deepEqual(await processes.list(0), [later]);
    await processes.remove('b');
    assert.deepEqual(await processes.list(0), []);
  });

  test('the size of the database is known', async (t) => {
    const { database } = await setUp(t);
    assert.ok((await database.size()) > 4096);
  });
}
