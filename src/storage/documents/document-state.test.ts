import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { budgetsConformance } from '../../../test/conformance/budgets.ts';
import { sharedStateConformance } from '../../../test/conformance/shared-state.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createPostgres } from '../../../test/support/stores.ts';
import type { Database } from '../../kernel/ports/records.ts';
import type { SharedDocuments } from '../../kernel/ports/shared-documents.ts';
import { MemoryHealthBoard } from '../memory/memory-health-board.ts';
import { openPostgres } from '../sql/postgres.ts';
import { openSqliteInMemory } from '../sql/sqlite.ts';
import { DocumentChanges } from './document-changes.ts';
import { DocumentState } from './document-state.ts';

/** Opened once, since tables take longer than all tests. */
const server = await createPostgres();
const databases = {
  SQLite: await openSqliteInMemory(),
  PostgreSQL: await openPostgres({ url: server.url }),
};
after(async () => {
  for (const database of Object.values(databases)) await database.close();
  await server.drop();
});

const kinds = ['account ', 'budget ', 'attempts ', 'count ', 'slots ', 'rate '];

async function openReplicas(t: TestContext, { documents }: Pick<Database, 'documents'>) {
  const lose = async () => {
    for (const kind of kinds) await documents.deleteByPrefix(kind);
  };
  await lose();
  const clock = new ManualClock();
  const replica = () => {
    const health = new MemoryHealthBoard(clock);
    const state = new DocumentState({ documents, clock, health, ping: async () => undefined });
    t.after(() => state.close());
    return state;
  };
  const [one, other] = [replica(), replica()];
  const pass = (seconds: number) => clock.move(seconds * 1000);
  return {
    replicas: [one, other] as const,
    nowMs: clock.now(),
    documents,
    clock,
    pass,
    lose: () => lose().then(() => one),
  };
}

for (const [name, database] of Object.entries(databases)) {
  sharedStateConformance(`shared state in ${name}`, (t) => openReplicas(t, database));
  budgetsConformance(`budgets in ${name}`, async (t) => {
    const { replicas, pass, lose } = await openReplicas(t, database);
    const budgets = replicas.map((replica) => replica.budgets);
    const [one, other] = budgets;
    assert.ok(one && other);
    return { replicas: [one, other], pass, lose: async () => (await lose()).budgets };
  });
}

const holder = { accountId: 'a', keyId: 'k' };
const windows = { day: { startMs: 0, endMs: 86_400_000 }, month: { startMs: 0, endMs: 31 * 86_400_000 } };

test('a hold of a lost budget is restored when it is renewed, before a count is begun and after', async (t) => {
  const { replicas, lose } = await openReplicas(t, databases.SQLite);
  const [{ budgets }] = replicas;
  const asked = { holder, windows, amount: 10, least: 10, ceilings: { day: 100 } };
  await budgets.begin(holder, windows, { day: 0, month: 0 });
  const [one, other] = [await budgets.hold(asked), await budgets.hold(asked)];
  assert.ok(one.outcome === 'granted' && other.outcome === 'granted');
  await lose();
  await budgets.renew(one.held);
  await budgets.begin(holder, windows, { day: 50, month: 50 });
  await budgets.renew(other.held);
  await budgets.renew(other.held);
  assert.deepEqual(await budgets.hold({ ...asked, amount: 31, least: 31 }), {
    outcome: 'refused',
    window: 'day',
    spent: 50,
    held: 20,
  });
});

test('changes that wait for the same document share a statement, and a change alone takes one', async (t) => {
  const { documents, clock } = await openReplicas(t, databases.SQLite);
  const asked: string[] = [];
  const counted: SharedDocuments = {
    read: (name) => {
      asked.push('read');
      return documents.read(name);
    },
    write: (name, before, document) => {
      asked.push('write');
      return documents.write(name, before, document);
    },
    delete: (name) => documents.delete(name),
    deleteByPrefix: (prefix) => documents.deleteByPrefix(prefix),
    deleteExpired: (nowMs) => documents.deleteExpired(nowMs),
  };
  const [one, other] = [
    new DocumentChanges<number>(counted, clock),
    new DocumentChanges<number>(counted, clock),
  ];
  const add = (changes: DocumentChanges<number>) =>
    changes.change('a', (value = 0) => ({
      value: value + 1,
      untilMs: clock.now() + 1000,
      result: value + 1,
    }));
  const results = await Promise.all(Array.from({ length: 100 }, () => add(one)));
  assert.deepEqual(
    results,
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  assert.equal(await add(one), 101);
  assert.deepEqual(asked.splice(0), ['read', 'write', 'write']);
  assert.equal(await add(other), 102);
  assert.equal(await add(one), 103);
  assert.deepEqual(asked.splice(0), ['read', 'write', 'write', 'read', 'write']);
  await documents.deleteExpired(clock.now() + 1001);
  assert.equal(await documents.read('a'), undefined);
});
