import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { Kysely, sql } from 'kysely';
import { somePattern } from '../../../../test/conformance/database/samples.ts';
import { cleanUp } from '../../../../test/support/clean-up.ts';
import { freshPostgres } from '../../../../test/support/stores.ts';
import { emptyFolder } from '../../../../test/support/weir-process.ts';
import { Sealer } from '../../../accounts/sealer.ts';
import { Archives } from '../../../calls/archive/archives.ts';
import { systemClock } from '../../../lib/clock.ts';
import { PatternTable } from '../../../modules/patterns/store/pattern-table.ts';
import { ModuleStoresWithCollections } from '../../module-stores.ts';
import { SqlCollectionTable } from '../collection-table.ts';
import type { ConnectionPool } from '../connection-pool.ts';
import { createKyselyDialect } from '../kysely-dialect.ts';
import { migrate } from '../migrate.ts';
import { SqlModuleStores } from '../module-stores.ts';
import { PostgresPool } from '../postgres-pool.ts';
import { defaultPoolBounds } from '../sql-database.ts';
import { postgresDialect, type SqlDialect, sqliteDialect } from '../sql-dialect.ts';
import { SqlitePool } from '../sqlite-pool.ts';
import type { SchemaTables, Tables } from '../tables.ts';
import { collections } from './collections.ts';
import { migrations } from './index.ts';

const pools: readonly (readonly [SqlDialect, (t: TestContext) => Promise<ConnectionPool>])[] = [
  [
    sqliteDialect,
    async (t) => new SqlitePool({ file: join(emptyFolder(t), 'weir.db'), bounds: defaultPoolBounds }),
  ],
  [postgresDialect, async (t) => new PostgresPool(await freshPostgres(t), defaultPoolBounds)],
];
const pack = promisify(deflateRaw);
const sealer = new Sealer([Buffer.alloc(32, 'test')]);
const scope = 'account:ada';
const pattern = somePattern({ advice: 'ünd "quoted" 🌊', scope: 'u-1' });
const quoted = 'a "quoted"\nnote';

for (const [dialect, openPool] of pools)
  describe(`rows of the previous release on ${dialect.name}`, () => {
    const setUp = async (t: TestContext) => {
      const pool = await openPool(t);
      cleanUp(t, () => pool.close());
      const db = new Kysely<Tables>({ dialect: createKyselyDialect(dialect, pool) });
      const schema = new Kysely<SchemaTables>({ dialect: createKyselyDialect(dialect, pool) });
      const earlier = migrations.slice(0, migrations.indexOf(collections));
      await migrate(schema, { dialect, migrations: earlier });
      await addRows(db);
      await migrate(schema, { dialect, migrations });
      const values = new SqlModuleStores(db, systemClock);
      const entries = new SqlCollectionTable(db);
      const stores = new ModuleStoresWithCollections({ values, entries, sealer, clock: systemClock });
      return {
        db,
        entries,
        archives: new Archives({ stores, clock: systemClock, bytesMax: 1_000_000 }),
        table: new PatternTable((owner) => stores.store('patterns', owner)),
      };
    };

    test('are found in collections, and stay for that release', async (t) => {
      const { db, archives, table } = await setUp(t);
      const archived = await archives.find(scope, { ref: 'a1' });
      assert.deepEqual(archived?.content, ['canary']);
      assert.deepEqual([archived?.conversation, archived?.person], ['c1', 'u-1']);
      assert.deepEqual(await table.find(scope, pattern.id), pattern);
      assert.deepEqual(await table.byFingerprint(scope, 'u-1', pattern.fingerprint), pattern);
      assert.deepEqual(await table.page(scope, { state: 'active', limit: 5 }), [pattern]);
      assert.ok((await table.version(scope)) > 0);
      const { trials } = table;
      assert.equal(await trials.conversationOf(scope, 'r1'), 'c1');
      assert.equal(await trials.callOf(scope, 'c1'), 'r1');
      assert.deepEqual(await trials.gist(scope, 'c1'), { about: quoted, scope: null });
      assert.deepEqual(await trials.outcomes(scope, 'c1'), [
        { requestId: '', note: quoted, good: 0.75, bad: 0.25 },
      ]);
      const judged: unknown[] = [];
      await table.judge(
        scope,
        'c1',
        () => ({ good: 1, bad: 0 }),
        (one, { isHeldOut, before }) => {
          judged.push([isHeldOut, before.good]);
          return { ...one, wins: one.wins + 1 };
        },
      );
      assert.deepEqual(judged, [[true, 0.5]]);
      assert.equal(await table.add(scope, { ...pattern, id: 'pat_2' }), 'known');
      assert.deepEqual(await rowCounts(db), [1, 1, 1, 1, 1, 1]);
    });

    test('are deleted with their entries', async (t) => {
      const { db, entries, archives, table } = await setUp(t);
      await archives.remove(scope, { ref: 'a1' });
      await table.delete(scope, pattern.id);
      assert.deepEqual(await rowCounts(db), [0, 0, 1, 1, 1, 1]);
      while (await entries.tidy(Date.now() + 40 * 86_400_000));
      assert.deepEqual(await rowCounts(db), [0, 0, 0, 0, 0, 0]);
    });

    test('are deleted with their account, also those that were written later', async (t) => {
      const { db, entries } = await setUp(t);
      await sql`delete from collection_entries where collection = 'calls'`.execute(db);
      await sql`insert into pattern_calls values (${scope}, 'r2', 'c2', 1)`.execute(db);
      await entries.forget('account:eve');
      assert.deepEqual(await rowCounts(db), [1, 1, 1, 1, 1, 1]);
      await entries.forget(scope);
      assert.deepEqual(await rowCounts(db), [0, 0, 0, 0, 0, 0]);
    });
  });

/** As the previous release writes them. */
async function addRows(db: Kysely<Tables>): Promise<void> {
  const now = Date.now();
  const { sealedBy, sealed } = sealer.seal(await pack('["canary"]'), `archive\n${scope}\na1`);
  await sql`insert into archive
    (scope, ref, conversation, person, created_at_ms, expires_at_ms, sealed_by, sealed, bytes)
    values (${scope}, 'a1', 'c1', 'u-1', ${now}, ${now + 1e9}, ${sealedBy}, ${sealed}, 9)`.execute(db);
  await sql`insert into pattern_owners values (${scope}, 1, 7)`.execute(db);
  await sql`insert into patterns (owner, id, state, scope, fingerprint, words, pattern)
    values (${scope}, ${pattern.id}, 'active', 'u-1', ${pattern.fingerprint}, 'w',
    ${JSON.stringify(pattern)})`.execute(db);
  await sql`insert into pattern_calls values (${scope}, 'r1', 'c1', ${now})`.execute(db);
  await sql`insert into pattern_gists values (${scope}, 'c1', '', ${quoted}, ${now})`.execute(db);
  await sql`insert into pattern_trials values (${scope}, 'c1', ${pattern.id}, 1, 500, 500, ${now})`.execute(
    db,
  );
  await sql`insert into outcomes values (${scope}, 'c1', '', 750, 250, ${quoted}, ${now})`.execute(db);
}

async function rowCounts(db: Kysely<Tables>): Promise<readonly number[]> {
  const tables = ['archive', 'patterns', 'pattern_calls', 'pattern_gists', 'pattern_trials', 'outcomes'];
  const counts: number[] = [];
  for (const table of tables) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
    counts.push(Number(rows[0]?.n));
  }
  return counts;
}
