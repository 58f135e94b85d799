import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someUser } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function usersConformance(setUpDatabase: SetUpDatabase): void {
  describe('users', () => {
    test('a user comes back as it was added', async (t) => {
      const { database } = await setUpDatabase(t);
      const free = someUser({ email: 'Grace.Hopper@Example.com' });
      const paid = someUser({ tier: 'team', period: { startMs: 1, endMs: 9_007_199_254_740_991 } });
      assert.equal(await database.users.add(free), true);
      assert.equal(await database.users.add(paid), true);
      assert.deepEqual(await database.users.byId(free.id), free);
      assert.deepEqual(await database.users.byEmail(paid.email), paid);
      assert.equal(await database.users.byId('nobody'), undefined);
      assert.equal(await database.users.byEmail('nobody@example.com'), undefined);
    });

    test('an address belongs to one user, however it is written', async (t) => {
      const { database } = await setUpDatabase(t);
      const first = someUser({ email: 'Zoë@Example.com' });
      assert.equal(await database.users.add(first), true);
      assert.equal(await database.users.add(someUser({ email: 'zoË@example.COM' })), false);
      assert.deepEqual(await database.users.byEmail('ZOË@EXAMPLE.COM'), first);
    });

    test('of many who take one address at once, one has it', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const users = Array.from({ length: 20 }, () => someUser({ email: 'one@example.com' }));
      const added = await Promise.all(users.map((user, at) => both[at % 2]?.users.add(user)));
      assert.equal(added.filter((done) => done).length, 1);
    });
  });
}
