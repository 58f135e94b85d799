import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someChallenge, someLine, someSettlement } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const takeOver = { holder: 'two', nowMs: 1000, untilMs: 2000, most: 10 };
const page = { after: undefined, limit: 10 };

export function settlementsConformance(setUpDatabase: SetUpDatabase): void {
  describe('settlements', () => {
    test('one in progress stays with its process, and is taken over once if that has died', async (t) => {
      const { settlements } = (await setUpDatabase(t)).database;
      const [left, kept] = [someSettlement({ untilMs: 1000 }), someSettlement({ untilMs: 1001 })];
      await settlements.open(left);
      await settlements.open(kept);
      await settlements.recordIntent(left.id, 'pi_1');
      const taken = { ...left, intent: 'pi_1', holder: 'two', untilMs: 2000 };
      assert.deepEqual(await settlements.takeOver(takeOver), [taken]);
      assert.deepEqual(await settlements.takeOver(takeOver), []);
      await settlements.renew([left.id, kept.id], { holder: 'one', untilMs: 3000 });
      assert.deepEqual(await settlements.takeOver({ ...takeOver, nowMs: 2000, untilMs: 4000 }), [
        { ...taken, untilMs: 4000 },
      ]);
    });

    test('of many who take over at once each gets others', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.settlements, (await open()).settlements];
      const all = Array.from({ length: 10 }, () => someSettlement({ untilMs: 1 }));
      for (const settlement of all) await database.settlements.open(settlement);
      const taken = await Promise.all(both.map((settlements) => settlements.takeOver(takeOver)));
      const ids = taken.flat().map(({ id }) => id);
      assert.deepEqual(ids.toSorted(), all.map(({ id }) => id).toSorted());
    });

    test('one is served once, recorded in the ledger, and then left alone', async (t) => {
      const { settlements, ledger } = (await setUpDatabase(t)).database;
      const settlement = someSettlement({ untilMs: 1 });
      const line = someLine();
      await settlements.open(settlement);
      assert.equal(await settlements.outcome(settlement.id), null);
      assert.equal(await settlements.serve(settlement.id, 'one', line), true);
      assert.equal(await settlements.serve(settlement.id, 'one', someLine()), false);
      assert.equal(await settlements.giveBack(settlement, 'refunded'), false);
      assert.equal(await settlements.outcome(settlement.id), 'served');
      assert.equal(await settlements.outcome('mpp_another.1'), undefined);
      assert.deepEqual(await settlements.takeOver(takeOver), []);
      assert.deepEqual(await ledger.page(page), [line]);
    });

    test('a settlement that was taken over is not served by its former process', async (t) => {
      const { settlements, ledger } = (await setUpDatabase(t)).database;
      const settlement = someSettlement({ untilMs: 1 });
      await settlements.open(settlement);
      await settlements.takeOver(takeOver);
      assert.equal(await settlements.serve(settlement.id, 'one', someLine()), false);
      assert.deepEqual(await ledger.page(page), []);
      assert.equal(await settlements.giveBack(settlement, 'cancelled'), true);
      assert.equal(await settlements.outcome(settlement.id), 'cancelled');
    });

    test('with what is given back its challenge can be paid with again, as another try', async (t) => {
      const { settlements, challenges } = (await setUpDatabase(t)).database;
      const { id: challengeId } = someChallenge();
      await challenges.add(someChallenge({ id: challengeId }));
      const tries = [1, 2, 3].map((attempt) =>
        someSettlement({ id: `${challengeId}.${attempt}`, challengeId, attempt }),
      );
      for (const settlement of tries) {
        assert.equal(await challenges.consume(challengeId, 1000), settlement.attempt);
        assert.equal(await challenges.consume(challengeId, 1000), undefined);
        await settlements.open(settlement);
        assert.equal(await settlements.giveBack(settlement, 'cancelled'), true);
      }
    });

    test('who comes late to give one back does not end a later try', async (t) => {
      const { settlements, challenges } = (await setUpDatabase(t)).database;
      const { id: challengeId } = someChallenge();
      await challenges.add(someChallenge({ id: challengeId }));
      const [first, second] = [
        someSettlement({ challengeId }),
        someSettlement({ id: `${challengeId}.2`, challengeId, attempt: 2 }),
      ];
      await challenges.consume(challengeId, 1000);
      await settlements.open(first);
      await settlements.giveBack(first, 'cancelled');
      await challenges.consume(challengeId, 1000);
      await settlements.open(second);
      assert.equal(await settlements.giveBack(first, 'cancelled'), false);
      assert.equal(await challenges.consume(challengeId, 1000), undefined);
    });

    test('those that are over are forgotten in time, open ones never', async (t) => {
      const { settlements } = (await setUpDatabase(t)).database;
      const all = [1, 2, 3, 4, 5].map((atMs) => someSettlement({ atMs }));
      for (const settlement of all) await settlements.open(settlement);
      for (const settlement of all.slice(1)) await settlements.giveBack(settlement, 'cancelled');
      const known = async () => {
        const outcomes = await Promise.all(all.map(({ id }) => settlements.outcome(id)));
        return outcomes.map((outcome) => outcome !== undefined);
      };
      await settlements.tidy({ beforeMs: 2, most: 10 });
      assert.deepEqual(await known(), [true, false, true, true, true]);
      await settlements.tidy({ beforeMs: 0, most: 2 });
      assert.deepEqual(await known(), [true, false, false, true, true]);
    });
  });
}
