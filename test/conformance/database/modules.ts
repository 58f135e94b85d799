import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../../src/storage/limits.ts';
import { moduleStoresConformance } from '../module-stores.ts';
import type { SetUpDatabase } from './set-up.ts';

export function modulesConformance(setUpDatabase: SetUpDatabase): void {
  moduleStoresConformance('stores of modules', async (t) => {
    const { open, database, execute } = await setUpDatabase(t);
    return {
      replicas: [database.modules, (await open()).modules],
      // A hundred thousand rows would take minutes; what is believed is their count.
      fill: async (left) => {
        await execute(`update module_stores set entries = ${limits.moduleEntriesMax - left}`);
      },
    };
  });

  test('entries of modules are counted right, however many come and go at once', async (t) => {
    const { open, database, execute } = await setUpDatabase(t);
    const stores = [database, await open()].map(({ modules }) => modules.store('m', 's'));
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const store = stores[at % 2] ?? assert.fail();
        await store.put(`key ${at % 20}`, at, at % 3 === 0 ? 0 : undefined);
        if (at % 5 === 0) await store.delete(`key ${(at + 1) % 20}`);
      }),
    );
    const listed = await stores[0]?.list();
    const [row] = await execute('select cast(entries as integer) as entries from module_stores');
    assert.deepEqual({ ...Object(row) }, { entries: listed?.length });
  });
}
