import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { bringUp } from '../../scripts/test-servers.ts';
import type { Database } from '../../src/kernel/ports/records.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { defaultPoolBounds } from '../../src/storage/sql/sql-database.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { call } from '../../test/support/call.ts';
import { bearer } from '../../test/support/cloud.ts';
import { createPostgres } from '../../test/support/stores.ts';
import { quantile } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An empty database for a gateway in cloud mode. */
export interface MeasuredDatabase {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** For the gateway. */
  readonly environment: Readonly<Record<string, string>>;
  open(): Promise<Database>;
  /** Runs a statement while no gateway runs, and resolves to its rows. */
  query(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Between filling and measuring. */
  settle(): Promise<void>;
  /** Of the processes of the server, in milliseconds; 0 if there is none. */
  serverCpuMs(): Promise<number>;
}

/** Measures on SQLite, on PostgreSQL (of TEST_DATABASE_URL, or a server of its own), or on the one that is named. */
export async function onEachDatabase(
  only: string | undefined,
  measure: (database: MeasuredDatabase) => Promise<void>,
): Promise<void> {
  if (only !== 'postgres') await measure(sqlite());
  if (only === 'sqlite') return;
  const servers = await bringUp(process.env);
  Object.assign(process.env, servers.environment);
  const { url, drop } = await createPostgres();
  const client = new Client({ connectionString: url });
  await client.connect();
  await measure(postgres(url, client));
  await client.end();
  await drop();
  await servers.stop();
}

function sqlite(): MeasuredDatabase {
  const folder = temporaryFolder('weir-bench-');
  const file = join(folder, 'weir.db');
  return {
    name: 'SQLite',
    environment: { WEIR_MODE: 'cloud', WEIR_DATA_DIR: folder },
    open: () => openSqlite({ file }),
    async query(statement) {
      const database = new DatabaseSync(file);
      const rows = database.prepare(statement).all();
      database.close();
      return rows;
    },
    settle: async () => {},
    serverCpuMs: async () => 0,
  };
}

function postgres(url: string, client: Client): MeasuredDatabase {
  return {
    name: 'PostgreSQL',
    environment: {
      WEIR_MODE: 'cloud',
      DATABASE_URL: url,
      REDIS_URL: process.env.TEST_REDIS_URL ?? '',
      WEIR_SECRET: 'the secret of a benchmark, long enough',
      WEIR_BASE_URL: 'http://127.0.0.1:3099',
    },
    open: () => openPostgres({ url, bounds: defaultPoolBounds }),
    query: async (statement) => (await client.query(statement)).rows,
    settle: async () => void (await client.query('vacuum analyze')),
    serverCpuMs: () => connectionsCpuMs(client),
  };
}

/** Of all connections to this database. On Linux, and if the server runs here. */
async function connectionsCpuMs(client: Client): Promise<number> {
  const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
  return rows
    .map(({ pid }) => `/proc/${pid}/schedstat`)
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0);
}

interface MeasuredRequests {
  readonly url: string;
  /** A session token. */
  readonly token: string;
  readonly rounds: number;
  /** Titles with paths. */
  readonly requests: readonly (readonly [string, string])[];
}

/** Prints the time, the CPU time and the size of each answer; times above the goal of 200 ms are marked. */
export async function printCosts(
  { serverCpuMs }: MeasuredDatabase,
  { url, token, rounds, requests }: MeasuredRequests,
): Promise<void> {
  console.log('p50 and highest ms, ms of CPU of this process and of the server, KB:');
  for (const [title, path] of requests) {
    const elapsed: number[] = [];
    const [cpuBefore, serverBefore] = [cpuMs(), await serverCpuMs()];
    let bytes = 0;
    for (let round = 0; round < rounds; round++) {
      const beganAt = performance.now();
      const { status, text } = await call(url, { path, headers: bearer(token) });
      elapsed.push(performance.now() - beganAt);
      bytes = text.length;
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    }
    const [own, server] = [(cpuMs() - cpuBefore) / rounds, ((await serverCpuMs()) - serverBefore) / rounds];
    const p50 = quantile(elapsed, 0.5);
    const figures = [p50, Math.max(...elapsed), own, server].map((ms) => ms.toFixed(1).padStart(8)).join('');
    console.log(
      `${p50 > 200 ? '!' : ' '} ${title.padEnd(34)}${figures}${(bytes / 1024).toFixed(0).padStart(7)}`,
    );
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
