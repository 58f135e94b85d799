import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { PaidAnswers } from '../../../src/kernel/ports/paid-answers.ts';
import type { SetUpDatabase } from './set-up.ts';

const content = { sealedBy: 'key-1', sealed: new Uint8Array([1, 2, 3]) };

function someClaim(expiresAtMs = 9000) {
  return { name: randomUUID(), digest: 'sha-256=:x:', untilMs: 1000, expiresAtMs };
}

export function paidAnswersConformance(setUpDatabase: SetUpDatabase): void {
  describe('paid answers', () => {
    test('one comes back as far as it was made', async (t) => {
      const { paidAnswers } = (await setUpDatabase(t)).database;
      const claim = someClaim();
      assert.equal(await paidAnswers.find(claim.name), undefined);
      await paidAnswers.claim(claim);
      const made = { ...claim, makings: 1, settlementId: null, content: null, isWhole: false };
      assert.deepEqual(await paidAnswers.find(claim.name), made);
      await paidAnswers.markPaid(claim.name, 'mpp_1.1', content);
      const paid = { ...made, settlementId: 'mpp_1.1', content };
      assert.deepEqual(await paidAnswers.find(claim.name), paid);
      const whole = { sealedBy: 'key-2', sealed: new Uint8Array([9]) };
      await paidAnswers.storeWhole(claim.name, whole);
      assert.deepEqual(await paidAnswers.find(claim.name), { ...paid, content: whole, isWhole: true });
      await paidAnswers.forget(claim.name);
      assert.equal((await paidAnswers.find(claim.name))?.isWhole, true);
    });

    test('of many who claim one name at once exactly one gets it', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database.paidAnswers, (await open()).paidAnswers];
      const claim = someClaim();
      const claims = await Promise.all(Array.from({ length: 20 }, (_, at) => both[at % 2]?.claim(claim)));
      assert.equal(claims.filter((isMine) => isMine).length, 1);
    });

    test('one that was left is taken over once, and forgotten only as it was found', async (t) => {
      const { paidAnswers } = (await setUpDatabase(t)).database;
      const claim = someClaim();
      await paidAnswers.claim(claim);
      await paidAnswers.renew([claim.name], 1500);
      assert.equal(await paidAnswers.takeOver(claim, 2000), false);
      assert.equal(await paidAnswers.takeOver({ ...claim, untilMs: 1500 }, 2000), true);
      assert.equal(await paidAnswers.takeOver({ ...claim, untilMs: 1500 }, 2000), false);
      assert.equal((await paidAnswers.find(claim.name))?.makings, 2);
      await paidAnswers.forget(claim.name, 1500);
      assert.equal((await paidAnswers.find(claim.name))?.untilMs, 2000);
      await paidAnswers.forget(claim.name, 2000);
      assert.equal(await paidAnswers.find(claim.name), undefined);
    });

    test('they are forgotten when their time is over, and the oldest past a number and past a sum of bytes', async (t) => {
      const { paidAnswers } = (await setUpDatabase(t)).database;
      const claims = [10, 20, 30, 40, 50].map((expiresAtMs) => someClaim(expiresAtMs));
      for (const claim of claims) {
        await paidAnswers.claim(claim);
        await paidAnswers.storeWhole(claim.name, { sealedBy: 'key-1', sealed: new Uint8Array(100) });
      }
      const tidied = async (nowMs: number, most: number, bytesMost: number) => {
        await paidAnswers.tidy({ nowMs, most, bytesMost });
        return remainingExpiryTimes(paidAnswers, claims);
      };
      assert.deepEqual(await tidied(10, 9, 1000), [20, 30, 40, 50]);
      assert.deepEqual(await tidied(10, 3, 1000), [30, 40, 50]);
      assert.deepEqual(await tidied(10, 3, 299), [40, 50]);
    });
  });
}

async function remainingExpiryTimes(
  paidAnswers: PaidAnswers,
  claims: readonly { readonly name: string }[],
): Promise<readonly number[]> {
  const found = await Promise.all(claims.map(({ name }) => paidAnswers.find(name)));
  return found.flatMap((answer) => (answer === undefined ? [] : [answer.expiresAtMs]));
}
