import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { chainKeeper } from '../src/audit/chain-keeper.ts';
import { AuditChains } from '../src/audit/chains.ts';
import { prepareEntry } from '../src/audit/entry.ts';
import { exportedLines, jsonLines } from '../src/audit/export.ts';
import { verifyChain } from '../src/audit/verify-chain.ts';
import { LineVerifier } from '../src/audit/verify-lines.ts';
import { findStatementProblem } from '../src/lib/signed-statement.ts';
import { SigningKey } from '../src/receipts/signing-key.ts';
import { openSqlite } from '../src/storage/sql/sqlite.ts';
import { someMember } from './conformance/database/samples.ts';
import { cleanUp } from './support/clean-up.ts';
import { emptyFolder } from './support/weir-process.ts';

const dayMs = 86_400_000;

/** A chain with an entry a day, and what keeps it on the day 1,200. */
async function keptChain(t: TestContext, retentionDays: number | undefined, length = 1200) {
  const file = join(emptyFolder(t), 'weir.db');
  const database = await openSqlite({ file });
  cleanUp(t, () => database.close());
  const { audit: table } = database;
  const chains = new AuditChains({
    table,
    onError: (cause) => assert.fail(String(cause)),
    onLost: () => assert.fail(),
  });
  const entries = Array.from({ length }, (_, day) =>
    prepareEntry(
      { event: 'key.changed', actor: 'user:u', address: '192.0.2.1' },
      'instance',
      (day + 1) * dayMs,
    ),
  );
  await Promise.all(entries.map((entry) => chains.add('instance', entry)));
  const signer = await SigningKey.from(new Uint8Array(32).fill(1));
  const clock = { now: () => 1200 * dayMs };
  const signed: number[] = [];
  const tampered: string[] = [];
  const keeper = chainKeeper({
    ...{ table, signer, clock },
    leastMs: 90 * dayMs,
    retentions: database.dataRetentions,
    retentionMs: retentionDays === undefined ? undefined : retentionDays * dayMs,
    onError: (error) => assert.fail(String(error)),
    onTampered: (chain) => tampered.push(chain),
    onSigned: ({ number }) => signed.push(number),
  });
  const find = (statement: Parameters<typeof findStatementProblem>[0]) =>
    findStatementProblem(statement, { keys: [signer.publicJwk] });
  const execute = (sql: string) => {
    const other = new DatabaseSync(file);
    other.exec(sql);
    other.close();
  };
  return {
    ...{ database, table, keeper, signed, tampered, execute },
    verify: () => verifyChain(table, 'instance', find),
    async verifyExport() {
      const verifier = new LineVerifier(find);
      for await (const line of jsonLines(exportedLines({ table, signer, clock }, { chain: 'instance' })))
        await verifier.add(line);
      verifier.endFile();
      return verifier.results();
    },
  };
}

test('the oldest part of a chain goes by age, and the rest verifies, in the database and exported', async (t) => {
  const { keeper, table, signed, verify, verifyExport } = await keptChain(t, 30);
  await keeper.run();
  assert.deepEqual(signed, [1200]);
  const left = { chain: 'instance', entries: 31, from: 1170, to: 1200, faults: [] };
  assert.deepEqual(await verify(), left);
  assert.deepEqual(await verifyExport(), [left]);
  assert.equal((await table.signedPoints('instance')).length, 2);
  await keeper.run();
  assert.deepEqual(await verify(), left);
  assert.deepEqual(signed, [1200]);
});

test('entries that others remove, change or rewrite are found, also if they leave all else in order', async (t) => {
  const { keeper, tampered, verify, verifyExport, execute } = await keptChain(t, undefined);
  await keeper.run();
  assert.deepEqual((await verify()).faults, []);
  execute('delete from audit_entries where number <= 3');
  assert.deepEqual((await verify()).faults, ['entries 1 to 3 are missing']);
  assert.deepEqual((await verifyExport())[0]?.faults, ['entries 1 to 3 are missing']);
  execute('delete from audit_entries where number > 1198');
  assert.deepEqual((await verify()).faults, [
    'entries 1 to 3 are missing',
    'entries 1199 to 1200 are missing',
  ]);
  execute(
    `update audit_entries set content = replace(content, 'key.changed', 'key.revoked') where number = 700`,
  );
  assert.ok((await verify()).faults.includes('entry 700 was changed'));
  execute(`update audit_chains set number = 1198, signed = 0`);
  await keeper.run();
  assert.deepEqual(tampered, ['instance']);
  execute(`update audit_points set jws = replace(jws, '.', '.x')`);
  assert.ok((await verify()).faults.some((fault) => fault.startsWith('the statement about entry 1200')));
});

test('accounts keep the days that they chose, but not fewer than the operator demands nor under a hold', async (t) => {
  const { database, table, keeper } = await keptChain(t, undefined, 3);
  const chosen: Readonly<Record<string, number>> = { short: 10, long: 200, held: 100 };
  const chains = new AuditChains({
    table,
    onError: (cause) => assert.fail(String(cause)),
    onLost: () => assert.fail(),
  });
  const members = new Map<string, string>();
  for (const [name, days] of Object.entries(chosen)) {
    const member = someMember();
    assert.ok(await database.identities.add(member));
    const { id } = member.account;
    members.set(name, id);
    await database.dataRetentions.put({ accountId: id, kind: 'audit', days });
    for (const day of [900, 1050, 1105, 1150, 1199])
      await chains.add(
        id,
        prepareEntry({ event: 'key.changed', actor: 'user:u', address: '' }, id, day * dayMs),
      );
  }
  const held = members.get('held') ?? '';
  await database.legalHolds.place({ accountId: held, side: 'owner', reason: 'a case', placedAtMs: 1 });
  const left = async () => {
    const counts: Record<string, number> = {};
    for (const [name, id] of members) counts[name] = (await table.following(id, 0, 9)).length;
    return counts;
  };
  await keeper.run();
  assert.deepEqual(await left(), { short: 2, long: 4, held: 5 }, 'the least is 90 days');
  assert.equal((await table.following('instance', 0, 9)).length, 3, 'the instance keeps all');
  await database.legalHolds.release(held, 'owner');
  await keeper.run();
  assert.deepEqual(await left(), { short: 2, long: 4, held: 3 });
  await keeper.run();
  assert.deepEqual(await left(), { short: 2, long: 4, held: 3 });
});
