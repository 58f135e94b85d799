// Writes the databases of test/upgrade.test.ts with the present build: run it after a release.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { Environment } from '../src/gateway/settings.ts';
import { createPostgres } from '../test/support/stores.ts';
import { fixtureFolder, rowsOf, type UpgradeFacts, upgradeSecret } from '../test/support/upgrade-fixtures.ts';
import { bringUp } from './test-servers.ts';
import { dumpPostgres, dumpSqlite } from './upgrade-fixtures/dump.ts';
import { fillDatabase } from './upgrade-fixtures/fill.ts';

const cloud: Environment = { WEIR_MODE: 'cloud', WEIR_SECRET: upgradeSecret };
/** Archived items expire; these do not while the fixture is in use. */
const keepArchive = `update archive set expires_at_ms = ${Date.UTC(2100, 0)}`;

const servers = await bringUp(process.env);
Object.assign(process.env, servers.environment);
const folder = mkdtempSync(join(tmpdir(), 'weir-upgrade-'));
await writeSqlite();
await writePostgres();
rmSync(folder, { recursive: true, force: true });
await servers.stop();

async function writeSqlite(): Promise<void> {
  const facts = await fillDatabase({ ...cloud, WEIR_DATA_DIR: folder });
  const file = join(folder, 'weir.db');
  const database = new DatabaseSync(file);
  database.exec(keepArchive);
  await requireRows(async (sql) => database.prepare(sql).all(), 'sqlite');
  database.close();
  write('sqlite', dumpSqlite(file), facts);
}

async function writePostgres(): Promise<void> {
  const { url, drop } = await createPostgres();
  const facts = await fillDatabase({
    ...cloud,
    WEIR_DATA_DIR: folder,
    DATABASE_URL: url,
    REDIS_URL: process.env.TEST_REDIS_URL,
    WEIR_BASE_URL: 'https://weir.example.com',
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(keepArchive);
  await requireRows(async (sql) => (await client.query(sql)).rows, 'postgres');
  await client.end();
  write('postgres', dumpPostgres(url), facts);
  await drop();
}

async function requireRows(
  select: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  name: 'sqlite' | 'postgres',
): Promise<void> {
  const empty = [...(await rowsOf(select, name))].filter(([, rows]) => rows.length === 0);
  if (empty.length > 0) throw new Error(`tables without rows: ${empty.map(([table]) => table).join(', ')}`);
}

function write(name: string, sql: string, facts: UpgradeFacts): void {
  writeFileSync(join(fixtureFolder, `${name}.sql.gz`), gzipSync(sql, { level: 9 }));
  writeFileSync(join(fixtureFolder, `${name}.json`), `${JSON.stringify(facts, undefined, 2)}\n`);
}
