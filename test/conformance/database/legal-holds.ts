import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuditChains } from '../../../src/audit/chains.ts';
import { prepareEntry } from '../../../src/audit/entry.ts';
import { firstIdAt } from '../../../src/kernel/request-id.ts';
import { readPage } from './request-log-samples.ts';
import { someCall, someMember, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const dayMs = 86_400_000;
const nowMs = Math.floor(1_763_000_000_000 / dayMs) * dayMs;
const side = 'owner';

export function legalHoldsConformance(setUpDatabase: SetUpDatabase): void {
  describe('a legal hold', () => {
    test('keeps calls, recordings and the audit log of its account, and nothing of others', async (t) => {
      const { database } = await setUpDatabase(t);
      const { requests, recordings, legalHolds, logRetentions, dataRetentions, audit, organizations } =
        database;
      const [held, other] = [someMember(), someMember()];
      for (const member of [held, other]) assert.equal(await database.identities.add(member), true);
      const [hers, his] = [held.account.id, other.account.id];
      const plan = (daysAgo: number) => ({ nowMs, keptFromMs: nowMs - daysAgo * dayMs, spanMs: dayMs });
      await requests.maintain({ ...plan(90), nowMs: nowMs - 60 * dayMs });
      await requests.maintain(plan(90));
      const old = [hers, his].flatMap((accountId) =>
        [40, 20, 1].map((days) => someCall({ accountId, id: someRequestId(nowMs - days * dayMs + 5) })),
      );
      await requests.add(old);
      const sealed = Buffer.alloc(100);
      await recordings.add(
        old.map(({ id, accountId }) => ({ id, accountId: accountId ?? '', sealedBy: 'k', sealed })),
        10_000,
      );
      const errors: unknown[] = [];
      const chains = new AuditChains({
        table: audit,
        onError: (e) => errors.push(e),
        onLost: () => undefined,
      });
      const gone = 'somebody who has gone';
      for (const chain of [hers, his])
        await chains.add(
          chain,
          prepareEntry({ event: 'key.changed', actor: `user:${gone}`, address: '192.0.2.1' }, chain, 1000),
        );
      assert.equal(await legalHolds.place({ accountId: hers, side, reason: 'a case', placedAtMs: 1 }), true);
      assert.equal(
        await legalHolds.place({ accountId: 'nobody', side, reason: 'a case', placedAtMs: 1 }),
        false,
      );
      assert.deepEqual(await legalHolds.page('', 9), [
        { accountId: hers, side, reason: 'a case', placedAtMs: 1 },
      ]);

      const clean = async () => {
        await requests.maintain(plan(30));
        await requests.forget(firstIdAt(nowMs - 30 * dayMs), 100);
        for (const accountId of [hers, his]) {
          await logRetentions.forgetCalls(accountId, nowMs - 10 * dayMs, 100);
          await dataRetentions.forget({ accountId, kind: 'recordings' }, nowMs - 10 * dayMs);
        }
        while (await recordings.forgetBefore(firstIdAt(nowMs - 30 * dayMs)));
      };
      const left = async (accountId: string) => {
        const { calls } = await readPage(requests);
        const mine = calls.filter((call) => call.accountId === accountId).map(({ id }) => id);
        const page = { accountId, fromId: '', beforeId: undefined, limit: 9 };
        return [mine.length, (await recordings.page(page)).length];
      };
      await clean();
      assert.deepEqual(await left(hers), [3, 3]);
      assert.deepEqual(await left(his), [1, 1]);
      // Full: the oldest stay, and there is no room for others.
      const next = { id: someRequestId(nowMs), accountId: hers, sealedBy: 'k', sealed };
      await recordings.add([next], 300);
      assert.equal((await left(hers))[1], 3);

      await audit.forgetPerson(gone);
      const peopleIn = async (chain: string) =>
        (await audit.following(chain, 0, 9)).flatMap((one) => one.values);
      assert.deepEqual([(await peopleIn(hers)).length, (await peopleIn(his)).length], [1, 0]);
      assert.deepEqual(await audit.chainsBefore(2000, '', 9), [his]);
      const removal = { number: 1, atMs: 5, jws: 'removal' };
      assert.equal(await audit.removeThrough(hers, removal), false);
      assert.equal((await audit.following(hers, 0, 9)).length, 1);

      const owner = {
        accountId: hers,
        identityId: held.identity.id,
        passwordHash: held.identity.passwordHash,
      };
      assert.equal(await database.accounts.erase(owner, nowMs), 'held');
      await organizations.scheduleDeletion(hers, 5);
      assert.deepEqual(await organizations.due(10, 9), []);

      assert.equal(await legalHolds.release(hers, 'operator'), false);
      assert.equal(await legalHolds.release(hers, side), true);
      assert.deepEqual(await peopleIn(hers), []);
      assert.deepEqual(await organizations.due(10, 9), [hers]);
      await clean();
      assert.deepEqual(await left(hers), [1, 1]);
      assert.equal(await audit.removeThrough(hers, removal), true);
      assert.equal(await database.accounts.erase(owner, nowMs), 'erased');
      assert.deepEqual(errors, []);
    });

    test('lets retentions of accounts be read in pages, without those under it', async (t) => {
      const { dataRetentions, legalHolds, identities } = (await setUpDatabase(t)).database;
      const member = someMember();
      await identities.add(member);
      const { id: accountId } = member.account;
      await dataRetentions.put({ accountId, kind: 'audit', days: 100 });
      await dataRetentions.put({ accountId, kind: 'audit', days: 120 });
      assert.deepEqual(await dataRetentions.page('audit', '', 9), [{ accountId, kind: 'audit', days: 120 }]);
      assert.deepEqual(await dataRetentions.page('archive', '', 9), []);
      await legalHolds.place({ accountId, side, reason: 'a case', placedAtMs: 1 });
      assert.deepEqual(await dataRetentions.page('audit', '', 9), []);
      await dataRetentions.put({ accountId, kind: 'audit', days: null });
      assert.deepEqual(await dataRetentions.of(accountId), []);
    });
  });
}
