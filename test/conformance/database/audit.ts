import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainCheck } from '../../../src/audit/chain-check.ts';
import { AuditChains } from '../../../src/audit/chains.ts';
import { prepareEntry } from '../../../src/audit/entry.ts';
import type { AuditRecord } from '../../../src/audit/facts.ts';
import type { AuditTable, PersonalValues } from '../../../src/kernel/ports/audit.ts';
import type { SetUpDatabase } from './set-up.ts';

function chainsOf(table: Pick<AuditTable, 'append'>): AuditChains {
  return new AuditChains({
    table,
    onError: (cause) => assert.fail(String(cause)),
    onLost: () => assert.fail(),
  });
}

async function addAll(table: AuditTable, chain: string, records: readonly AuditRecord[]): Promise<void> {
  const chains = chainsOf(table);
  for (const [at, record] of records.entries())
    await chains.add(chain, prepareEntry(record, chain, (at + 1) * 1000));
}

/** Reads a whole chain, and finds what is wrong with it. */
async function checkChain(table: AuditTable, chain: string): Promise<ChainCheck> {
  const check = new ChainCheck({ chain });
  for (const { text, values } of await table.following(chain, 0, 10_000))
    check.add(text, Object.assign({}, ...values.map((group) => group.values)));
  const end = await table.end(chain);
  assert.ok(end);
  check.finish(end);
  return check;
}

const changed = { event: 'key.changed', actor: 'user:u', key: 'k' } as const;

export function auditConformance(setUpDatabase: SetUpDatabase): void {
  describe('the audit log', () => {
    test('has one unbroken chain for each name, however many write to it at once', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const writers = [database, await open(), await open()].map(({ audit }) => chainsOf(audit));
      const written = Array.from({ length: 120 }, (_, at) => {
        const chain = at % 4 === 0 ? 'other' : 'account';
        return writers[at % 3]?.add(chain, prepareEntry({ ...changed, key: `k${at}` }, chain, 1000 - at));
      });
      await Promise.all(written);
      const [account, other] = [
        await checkChain(database.audit, 'account'),
        await checkChain(database.audit, 'other'),
      ];
      assert.deepEqual([account.faults, account.count, account.end.number], [[], 90, 90]);
      assert.deepEqual([other.faults, other.count], [[], 30]);
      assert.deepEqual(await database.audit.chains('', 10), ['account', 'other']);
      assert.deepEqual(await database.audit.chains('account', 10), ['other']);
      assert.equal(await database.audit.end('none'), undefined);
    });

    test('stores an entry once, if an attempt to store it seemed to fail', async (t) => {
      const { audit } = (await setUpDatabase(t)).database;
      let attempts = 0;
      const failures: unknown[] = [];
      const chains = new AuditChains({
        table: {
          async append(entries) {
            await audit.append(entries);
            if (attempts++ === 0) throw new Error('the connection was lost');
          },
        },
        onError: (cause) => failures.push(cause),
        onLost: () => assert.fail(),
      });
      const entries = ['k1', 'k2', 'k3'].map((key) => prepareEntry({ ...changed, key }, 'c', 1));
      await Promise.all(entries.map((entry) => chains.add('c', entry)));
      assert.ok(await chains.drain(performance.now() + 10_000));
      assert.equal(failures.length, 1);
      const check = await checkChain(audit, 'c');
      assert.deepEqual([check.faults, check.count], [[], 3]);
    });

    test('is read in pages, the newest first, by event, actor and time', async (t) => {
      const { audit } = (await setUpDatabase(t)).database;
      await addAll(audit, 'c', [
        { event: 'key.created', actor: 'user:a', address: '192.0.2.1' },
        { event: 'key.changed', actor: 'user:b' },
        { event: 'key.revoked', actor: 'user:a' },
        { event: 'login.failed', reason: 'wrong_login' },
      ]);
      await addAll(audit, 'd', [{ event: 'key.created', actor: 'user:a' }]);
      const numbers = async (query: object) =>
        (await audit.page({ chain: 'c', limit: 10, ...query })).map(({ number }) => number);
      assert.deepEqual(await numbers({}), [4, 3, 2, 1]);
      assert.deepEqual(await numbers({ limit: 2 }), [4, 3]);
      assert.deepEqual(await numbers({ before: 3 }), [2, 1]);
      assert.deepEqual(await numbers({ actor: 'user:a' }), [3, 1]);
      assert.deepEqual(await numbers({ events: ['key.created', 'login.failed'] }), [4, 1]);
      assert.deepEqual(await numbers({ fromMs: 2000, toMs: 4000 }), [3, 2]);
      const [first] = await audit.following('c', 0, 1);
      assert.deepEqual(
        first?.values.map(({ person, values }) => [person, values.address?.value]),
        [['a', '192.0.2.1']],
      );
    });

    test('forgets the values of a person in all chains, which stay whole, and the chain of an account', async (t) => {
      const { audit } = (await setUpDatabase(t)).database;
      const byAda = { ...changed, actor: 'user:ada', address: '192.0.2.1', client: 'curl' };
      const byBob = { ...changed, actor: 'user:bob', address: '192.0.2.2' };
      const invited = {
        event: 'invitation.created',
        actor: 'user:bob',
        email: 'ada@example.com',
        user: 'ada',
      } as const;
      await addAll(audit, 'one', [byAda, byBob, invited]);
      await addAll(audit, 'two', [byAda]);
      const valuesIn = async (chain: string): Promise<readonly PersonalValues[]> =>
        (await audit.following(chain, 0, 10)).map(({ values }) =>
          Object.assign({}, ...values.map((group) => group.values)),
        );
      assert.equal((await valuesIn('one'))[2]?.email?.value, 'ada@example.com');
      await audit.forgetPerson('ada');
      assert.deepEqual(
        (await valuesIn('one')).map((values) => Object.entries(values).map(([, { value }]) => value)),
        [[], ['192.0.2.2'], []],
      );
      assert.deepEqual(await valuesIn('two'), [{}]);
      assert.deepEqual((await checkChain(audit, 'one')).faults, []);
      await audit.forgetPerson('');
      await audit.forget('one');
      assert.deepEqual(await audit.following('one', 0, 10), []);
      assert.equal(await audit.end('one'), undefined);
      assert.equal((await audit.following('two', 0, 10)).length, 1);
    });

    test('can lose its oldest part for a signed statement that stands for it', async (t) => {
      const { audit } = (await setUpDatabase(t)).database;
      await addAll(
        audit,
        'c',
        Array.from({ length: 6 }, () => ({ ...changed, address: '192.0.2.1' })),
      );
      assert.deepEqual(await audit.unsignedChains(10), ['c']);
      await audit.addSignedPoint('c', { number: 2, atMs: 1, jws: 'second' });
      await audit.addSignedPoint('c', { number: 6, atMs: 2, jws: 'sixth' });
      await audit.addSignedPoint('c', { number: 6, atMs: 3, jws: 'again' });
      assert.deepEqual(await audit.unsignedChains(10), []);
      assert.equal((await audit.lastBefore('c', 4000))?.number, 3);
      assert.equal(await audit.lastBefore('c', 1000), undefined);
      assert.deepEqual(await audit.chainsBefore(4000, '', 10), ['c']);
      assert.deepEqual(await audit.chainsBefore(1000, '', 10), []);
      await audit.removeThrough('c', { number: 3, atMs: 4, jws: 'removal' });
      const left = await audit.following('c', 0, 10);
      assert.deepEqual(
        left.map(({ number, values }) => [number, values.length]),
        [4, 5, 6].map((number) => [number, 1]),
      );
      assert.deepEqual(await audit.signedPoints('c'), [
        { number: 3, atMs: 4, jws: 'removal' },
        { number: 6, atMs: 2, jws: 'sixth' },
      ]);
      await addAll(audit, 'c', [changed]);
      assert.deepEqual(await audit.unsignedChains(10), ['c']);
    });
  });
}
