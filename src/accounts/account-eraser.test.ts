import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AccountFixture } from '../../test/support/account-fixture.ts';
import { AccountEraser } from './account-eraser.ts';
import { limits } from './limits.ts';

test('all places are gone through several times, and then nothing is left to do', async (t) => {
  const { erased, clock, round } = await gone(t);
  await round();
  assert.deepEqual(erased, ['one', 'two']);
  await round();
  assert.equal(erased.length, 2, 'not before its time');
  for (const [at, waitMs] of limits.erasePassesMs.entries()) {
    clock.move(waitMs);
    await round();
    assert.equal(erased.length, 2 * (at + 2));
  }
  clock.move(10 * 86_400_000);
  await round();
  assert.equal(erased.length, 2 * (limits.erasePassesMs.length + 1));
});

test('a place that fails keeps no other from being erased, and is come back to', async (t) => {
  const { erased, failing, failures, clock, round } = await gone(t);
  failing.add('one');
  await round();
  assert.deepEqual([erased, failures], [['two'], ['one']]);
  failing.clear();
  clock.move(limits.eraseLeaseMs - 1);
  await round();
  assert.deepEqual(erased, ['two']);
  clock.move(1);
  await round();
  assert.deepEqual(erased, ['two', 'one', 'two']);
});

test('of two who look at once, one erases', async (t) => {
  const { erased, round } = await gone(t);
  await Promise.all([round(), round()]);
  assert.deepEqual(erased, ['one', 'two']);
});

/** An account that is gone, and whoever erases what is left of it. */
async function gone(t: TestContext) {
  const desk = await AccountFixture.open(t);
  const { clock, database } = desk;
  const accountId = await desk.account();
  const { accounts, members } = database;
  const member = await members.owner(accountId);
  assert.ok(member);
  const { id: identityId, passwordHash } = member.identity;
  const owner = { accountId, identityId, passwordHash };
  assert.equal(await accounts.erase({ ...owner, passwordHash: 'another hash' }, clock.now()), 'changed');
  assert.equal(await accounts.erase({ ...owner, accountId: 'another account' }, clock.now()), 'changed');
  assert.equal(await accounts.erase(owner, clock.now()), 'erased');
  assert.equal(await members.owner(accountId), undefined);
  assert.equal(await database.identities.byEmail(member.identity.email), undefined);
  const erased: string[] = [];
  const failing = new Set<string>();
  const failures: string[] = [];
  const steps = ['one', 'two'].map((name) => ({
    name,
    async erase(id: string) {
      assert.equal(id, accountId);
      if (failing.has(name)) throw new Error('away');
      erased.push(name);
    },
  }));
  const round = async () => {
    const accountEraser = new AccountEraser({
      erasures: database.erasures,
      steps,
      clock,
      deleteDue: async () => undefined,
      onFailure: (step) => failures.push(step),
    });
    await accountEraser.eraseDue();
    await accountEraser.close();
  };
  return { erased, failing, failures, clock, round };
}
