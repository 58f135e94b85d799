import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someSession } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const bounds = { nowMs: 1000, givenBackMax: 3 };

export function anonSessionsConformance(setUpDatabase: SetUpDatabase): void {
  describe('anonymous sessions', () => {
    test('a session is found by any of several hashes of its token, and by its id', async (t) => {
      const { anonSessions } = (await setUpDatabase(t)).database;
      const { tokenHash, addressHash, ...session } = someSession();
      await anonSessions.add({ tokenHash, addressHash, ...session }, 0);
      assert.deepEqual(await anonSessions.byToken(['another', tokenHash]), session);
      assert.deepEqual(await anonSessions.byId(session.id), session);
      assert.equal(await anonSessions.byToken(['another', 'third']), undefined);
      assert.equal(await anonSessions.byId(tokenHash), undefined);
    });

    test('of many requests at once exactly as many are counted as a session has', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.anonSessions, (await open()).anonSessions];
      const session = someSession({ requestLimit: 5 });
      await database.anonSessions.add(session, 0);
      const takes = Array.from({ length: 40 }, (_, at) => both[at % 2]?.take(session.id, bounds));
      assert.equal((await Promise.all(takes)).filter((taken) => taken).length, 5);
      assert.equal((await database.anonSessions.byId(session.id))?.requestsUsed, 5);
    });

    test('what is given back can be taken again, but not for ever', async (t) => {
      const { anonSessions } = (await setUpDatabase(t)).database;
      const session = someSession({ requestLimit: 1 });
      await anonSessions.add(session, 0);
      for (let at = 0; at < bounds.givenBackMax; at++) {
        assert.equal(await anonSessions.take(session.id, bounds), true);
        assert.equal(await anonSessions.take(session.id, bounds), false);
        await anonSessions.giveBack(session.id);
      }
      assert.equal(await anonSessions.take(session.id, bounds), false);
      assert.equal((await anonSessions.byId(session.id))?.requestsUsed, 0);
    });

    test('nothing is counted for a session that is over, revoked or unknown', async (t) => {
      const { anonSessions } = (await setUpDatabase(t)).database;
      const over = someSession({ expiresAtMs: bounds.nowMs });
      const revoked = someSession();
      await anonSessions.add(over, 0);
      await anonSessions.add(revoked, 0);
      await anonSessions.revoke(revoked.id, 7);
      await anonSessions.revoke(revoked.id, 8);
      assert.equal((await anonSessions.byId(revoked.id))?.revokedAtMs, 7);
      for (const id of [over.id, revoked.id, 'nobody'])
        assert.equal(await anonSessions.take(id, bounds), false);
    });

    test('a session is remembered for a while after its time, and then forgotten', async (t) => {
      const { anonSessions } = (await setUpDatabase(t)).database;
      const [first, second] = [someSession({ expiresAtMs: 10 }), someSession({ expiresAtMs: 20 })];
      await anonSessions.add(first, 0);
      await anonSessions.add(second, 10);
      assert.notEqual(await anonSessions.byId(first.id), undefined);
      await anonSessions.add(someSession(), 11);
      assert.equal(await anonSessions.byId(first.id), undefined);
      assert.notEqual(await anonSessions.byId(second.id), undefined);
    });
  });
}
