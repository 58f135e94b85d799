import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someLine } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function ledgerConformance(setUpDatabase: SetUpDatabase): void {
  describe('the ledger of payments', () => {
    test('its lines come page by page, the newest first', async (t) => {
      const { ledger } = (await setUpDatabase(t)).database;
      const [first, second, third] = [someLine({ atMs: 1 }), someLine({ atMs: 2 }), someLine({ atMs: 3 })];
      for (const line of [second, third, first]) await ledger.add(line);
      assert.deepEqual(await ledger.page({ after: undefined, limit: 2 }), [third, second]);
      assert.deepEqual(await ledger.page({ after: second, limit: 2 }), [first]);
      assert.deepEqual(await ledger.page({ after: first, limit: 2 }), []);
    });

    test('lines of one moment are each on one page', async (t) => {
      const { ledger } = (await setUpDatabase(t)).database;
      const lines = [someLine({ id: 'a' }), someLine({ id: 'b' }), someLine({ id: 'c' })];
      for (const line of lines) await ledger.add(line);
      const [newest, ...others] = lines.toReversed();
      assert.ok(newest !== undefined);
      assert.deepEqual(await ledger.page({ after: newest, limit: 5 }), others);
    });

    test('no line can be changed, replaced or deleted', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const line = someLine();
      await database.ledger.add(line);
      await database.ledger.add({ ...line, amount: '500' });
      for (const statement of ["update payment_ledger set amount = '1'", 'delete from payment_ledger'])
        await assert.rejects(execute(statement), /never changed or deleted/, statement);
      assert.deepEqual(await database.ledger.page({ after: undefined, limit: 5 }), [line]);
    });
  });
}
