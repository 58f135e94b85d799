import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Challenge, Challenges } from '../../../src/kernel/ports/payments.ts';
import { someChallenge } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const nowMs = 1000;

export function challengesConformance(setUpDatabase: SetUpDatabase): void {
  describe('payment challenges', () => {
    test('a challenge comes back as it was issued', async (t) => {
      const { challenges } = (await setUpDatabase(t)).database;
      const challenge = someChallenge();
      await challenges.add(challenge);
      assert.deepEqual(await challenges.find(challenge.id), challenge);
      assert.equal(await challenges.find('mpp_another'), undefined);
    });

    test('of many who pay with one challenge at once exactly one does', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.challenges, (await open()).challenges];
      const challenge = someChallenge();
      await database.challenges.add(challenge);
      const tries = Array.from({ length: 40 }, (_, at) => both[at % 2]?.consume(challenge.id, nowMs));
      assert.deepEqual(
        (await Promise.all(tries)).filter((attempt) => attempt !== undefined),
        [1],
      );
      assert.equal((await database.challenges.find(challenge.id))?.consumedAtMs, nowMs);
    });

    test('an expired or unknown challenge can’t be paid', async (t) => {
      const { challenges } = (await setUpDatabase(t)).database;
      const over = someChallenge({ expiresAtMs: nowMs });
      await challenges.add(over);
      assert.equal(await challenges.consume(over.id, nowMs), undefined);
      assert.equal(await challenges.consume('mpp_another', nowMs), undefined);
      assert.deepEqual(await challenges.find(over.id), over);
    });

    test('those whose time is over are forgotten', async (t) => {
      const { challenges } = (await setUpDatabase(t)).database;
      const over = someChallenge({ expiresAtMs: nowMs, consumedAtMs: 7 });
      const open = someChallenge({ expiresAtMs: nowMs + 1 });
      await challenges.add(over);
      await challenges.add(open);
      await challenges.tidy({ nowMs, most: 10 });
      assert.deepEqual(await remainingIds(challenges, [over, open]), [open.id]);
    });

    test('past a number the oldest are forgotten, but none that was paid with', async (t) => {
      const { challenges } = (await setUpDatabase(t)).database;
      const all = [2, 1, 4, 3, 5].map((after) => someChallenge({ expiresAtMs: nowMs + after }));
      for (const challenge of all) await challenges.add(challenge);
      const [second, first] = all;
      assert.ok(first !== undefined && second !== undefined);
      await challenges.consume(first.id, nowMs);
      await challenges.tidy({ nowMs, most: 5 });
      assert.equal((await remainingIds(challenges, all)).length, 5);
      await challenges.tidy({ nowMs, most: 3 });
      assert.deepEqual(
        await remainingIds(challenges, all),
        all.filter((challenge) => challenge !== second).map(({ id }) => id),
      );
    });
  });
}

/** The ids of those that are still there. */
async function remainingIds(challenges: Challenges, all: readonly Challenge[]): Promise<readonly string[]> {
  const found = await Promise.all(all.map(({ id }) => challenges.find(id)));
  return found.flatMap((challenge) => (challenge === undefined ? [] : [challenge.id]));
}
