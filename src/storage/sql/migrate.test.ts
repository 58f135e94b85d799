import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { freshPostgres } from '../../../test/support/stores.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { createKyselyDialect } from './kysely-dialect.ts';
import { type Migration, type MigrationListener, migrate } from './migrate.ts';
import { askedBy } from './migrations/asked-by.ts';
import { migrations } from './migrations/index.ts';
import { PostgresPool } from './postgres-pool.ts';
import { defaultPoolBounds } from './sql-database.ts';
import { postgresDialect, type SqlDialect, sqliteDialect } from './sql-dialect.ts';
import { SqlitePool } from './sqlite-pool.ts';
import type { SchemaTables } from './tables.ts';

const homes: readonly (readonly [SqlDialect, (t: TestContext) => Promise<() => ConnectionPool>])[] = [
  [sqliteDialect, sqliteHome],
  [postgresDialect, postgresHome],
];

for (const [sqlDialect, makeHome] of homes)
  describe(`migrations on ${sqlDialect.name}`, () => {
    const setUp = async (t: TestContext) => {
      const openLinks = await makeHome(t);
      return () => {
        const connectionPool = openLinks();
        t.after(() => connectionPool.close());
        return new Kysely<SchemaTables>({ dialect: createKyselyDialect(sqlDialect, connectionPool) });
      };
    };

    const up = (db: Kysely<SchemaTables>, steps: readonly Migration[], allowNewerSchema = false) =>
      migrate(db, { dialect: sqlDialect, migrations: steps, allowNewerSchema });

    test('steps are run once each, in order, also those that came later', async (t) => {
      const db = (await setUp(t))();
      await up(db, [makes('first'), fills('first')]);
      await up(db, [makes('first'), fills('first')]);
      await up(db, [makes('first'), fills('first'), makes('second'), fills('first')]);
      assert.deepEqual(await rowsOf(db, 'first'), [{ id: 1 }, { id: 1 }]);
      assert.deepEqual(await rowsOf(db, 'second'), []);
      assert.deepEqual(await versionsOf(db), [1, 2, 3, 4]);
    });

    test('their progress is reported, but not if there is nothing to do', async (t) => {
      const db = (await setUp(t))();
      const reported: string[] = [];
      const listener: MigrationListener = {
        onBegin: (from, to) => reported.push(`${from} to ${to}`),
        onStep: ({ version, name, ms }) => reported.push(`${version} ${name} ${ms >= 0}`),
        onRetry: () => reported.push('retry'),
        onEnd: (ms) => reported.push(`end ${ms > 0}`),
      };
      const steps = [makes('first'), makes('second'), makes('third')];
      await up(db, steps.slice(0, 1));
      for (let times = 0; times < 2; times++)
        await migrate(db, { dialect: sqlDialect, migrations: steps, listener });
      assert.deepEqual(reported, ['1 to 3', '2 makes second true', '3 makes third true', 'end true']);
    });

    test('a step that fails leaves nothing of itself and nothing of those before it', async (t) => {
      const db = (await setUp(t))();
      await up(db, [makes('first')]);
      const broken: Migration = {
        name: 'broken',
        async up(trx) {
          await makes('third').up(trx, sqlDialect);
          await sql`insert into nowhere values (1)`.execute(trx);
        },
      };
      const steps = [makes('first'), makes('second'), fills('first'), broken];
      await assert.rejects(up(db, steps), /nowhere/);
      await assert.rejects(rowsOf(db, 'second'));
      await assert.rejects(rowsOf(db, 'third'));
      assert.deepEqual(await rowsOf(db, 'first'), []);
      assert.deepEqual(await versionsOf(db), [1]);
      await up(db, [...steps.slice(0, 3), makes('third')]);
      assert.deepEqual(await versionsOf(db), [1, 2, 3, 4]);
    });

    test('of many who start at once, one migrates and the others wait for it', async (t) => {
      const open = await setUp(t);
      let running = 0;
      const slow: Migration = {
        name: 'slow',
        async up(trx) {
          assert.equal(++running, 1);
          for (let at = 0; at < 50; at++) await sql`select 1`.execute(trx);
          await fills('first').up(trx, sqlDialect);
          running--;
        },
      };
      await Promise.all(Array.from({ length: 4 }, () => up(open(), [makes('first'), slow])));
      assert.deepEqual(await rowsOf(open(), 'first'), [{ id: 1 }]);
    });

    test('calls that were logged before modules could ask are those of clients, and are summed up', async (t) => {
      const db = (await setUp(t))();
      const before = migrations.slice(0, migrations.indexOf(askedBy));
      await up(db, before);
      const numbers = [
        'at_ms',
        'streamed',
        'status',
        'cost_estimated',
        'saved_nano_usd',
        'total_us',
        'overhead_us',
      ];
      const texts = ['id', 'account_id', 'model_asked', 'wire', 'ending', 'pipeline'];
      const steps = '[{"module":"m","effect":"passed","ms":1,"facts":{}}]';
      await sql`insert into requests (${sql.join([...numbers, ...texts, 'steps'].map((name) => sql.ref(name)))})
        values (${sql.join([...numbers.map(() => sql.lit(1)), ...texts.map(() => sql.lit('x'))])}, ${sql.lit(steps)})`.execute(
        db,
      );
      await up(db, migrations);
      const { rows } = await sql`select id, asked_by from requests`.execute(db);
      assert.deepEqual(
        rows.map((row) => ({ ...Object(row) })),
        [{ id: 'x', asked_by: null }],
      );
      const { rows: sums } = await sql`select request_kinds.steps as steps, request_sums.requests as requests
        from requests inner join request_kinds using (kind) inner join request_sums using (kind)`.execute(db);
      assert.deepEqual(
        sums.map((row) => ({ ...Object(row) })),
        [{ steps: 'm:passed', requests: 1 }],
      );
    });

    test('a newer schema is refused and left as it is, but for those who worked with it before', async (t) => {
      const db = (await setUp(t))();
      await up(db, [makes('first'), makes('second')]);
      await assert.rejects(
        up(db, [makes('first')]),
        /schema version 2, but this version of Weir supports only up to 1:/,
      );
      await up(db, [makes('first')], true);
      assert.deepEqual(await versionsOf(db), [1, 2]);
    });
  });

test('a long read of a table delays a migration step, and nothing else', async (t) => {
  const openLinks = await postgresHome(t);
  const [reader, other, db] = [openLinks(), openLinks(), openLinks()].map((connectionPool) => {
    t.after(() => connectionPool.close());
    return new Kysely<SchemaTables>({ dialect: createKyselyDialect(postgresDialect, connectionPool) });
  });
  assert.ok(reader !== undefined && other !== undefined && db !== undefined);
  const widens: Migration = {
    name: 'widens',
    async up(trx, { text }) {
      await trx.schema.alterTable('first').addColumn('later', text).execute();
    },
  };
  await migrate(db, { dialect: postgresDialect, migrations: [makes('first')] });
  let migrating: Promise<void> | undefined;
  await reader.transaction().execute(async (trx) => {
    await rowsOf(trx, 'first');
    migrating = migrate(db, { dialect: postgresDialect, migrations: [makes('first'), widens] });
    await eventually(async () => (await waitingFor(other, 'first')) || undefined);
    assert.deepEqual(await rowsOf(other, 'first'), []);
  });
  await migrating;
  assert.deepEqual(await versionsOf(db), [1, 2]);
});

async function waitingFor(db: Kysely<SchemaTables>, table: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_locks where not granted and relation = ${table}::regclass`.execute(db);
  return rows.length > 0;
}

function makes(table: string): Migration {
  return {
    name: `makes ${table}`,
    async up(db, { integer, tableEnd }) {
      await db.schema.createTable(table).addColumn('id', integer).modifyEnd(tableEnd).execute();
    },
  };
}

function fills(table: string): Migration {
  return {
    name: `fills ${table}`,
    async up(db) {
      await sql`insert into ${sql.table(table)} (id) values (1)`.execute(db);
    },
  };
}

async function rowsOf(db: Kysely<SchemaTables>, table: string): Promise<readonly unknown[]> {
  return (await sql`select id from ${sql.table(table)}`.execute(db)).rows;
}

async function versionsOf(db: Kysely<SchemaTables>): Promise<readonly number[]> {
  const rows = await db.selectFrom('schema_migrations').select('version').orderBy('version').execute();
  return rows.map(({ version }) => version);
}

async function sqliteHome(t: TestContext): Promise<() => ConnectionPool> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return () => new SqlitePool({ file: join(folder, 'weir.db'), bounds: defaultPoolBounds });
}

async function postgresHome(t: TestContext): Promise<() => ConnectionPool> {
  const url = await freshPostgres(t);
  return () => new PostgresPool(url, defaultPoolBounds);
}
