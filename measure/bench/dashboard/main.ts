// What each page of the dashboard asks the gateway, with a million calls of one account over 30 days:
// npm run bench:dashboard. In SQLite and in PostgreSQL (--only sqlite, --only postgres), of TEST_DATABASE_URL or of a server of its own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { bringUp } from '../../../scripts/test-servers.ts';
import type { Database } from '../../../src/kernel/ports/records.ts';
import { firstIdAt } from '../../../src/kernel/request-id.ts';
import { openPostgres } from '../../../src/storage/sql/postgres.ts';
import { defaultPoolBounds } from '../../../src/storage/sql/sql-database.ts';
import { openSqlite } from '../../../src/storage/sql/sqlite.ts';
import { startTestGateway } from '../../../src/testing/test-gateway.ts';
import { call } from '../../../test/support/call.ts';
import { bearer, Person } from '../../../test/support/cloud.ts';
import { createPostgres } from '../../../test/support/stores.ts';
import { numberOption } from '../number-option.ts';
import { quantile } from '../statistics.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { fillMonth } from './fill.ts';

const { values: set } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string' },
  },
});
const count = numberOption('calls', set.calls);
const rounds = numberOption('rounds', set.rounds);
const hourMs = 3_600_000;

/** The requests of each page, as the dashboard makes them. */
function requestsOf(nowMs: number): readonly (readonly [string, string])[] {
  const ago = (hours: number) => new Date(nowMs - hours * hourMs).toISOString();
  const between = (from: number, to: number) => `from=${ago(from)}&to=${ago(to)}`;
  const day = (hours: number) => ago(hours).slice(0, 10);
  const month = `from=${day(29 * 24)}&to=${day(0)}`;
  const filters = [
    'model=model-3',
    'status=429',
    'status=error',
    'provider=groq',
    'key=key-7',
    'client=support-bot',
  ];
  const more = [
    'end_user=user-7',
    'tag=team:team-3',
    'conversation=session-70',
    'module=exact-cache',
    'search=model-1',
  ];
  return [
    ...[1, 24, 168, 720].map(
      (hours) => [`Overview, ${hours} h`, `/v1/requests/summary?from=${ago(hours)}`] as const,
    ),
    ...[24, 720].map(
      (hours) => [`Overview, errors of ${hours} h`, `/v1/requests/errors?from=${ago(hours)}`] as const,
    ),
    ['Overview, the month before', `/v1/requests/summary?${between(1440, 720)}`],
    ['Overview, the week before', `/v1/requests/summary?${between(336, 168)}`],
    ['Overview, ceilings', '/v1/budgets'],
    ['Requests', '/v1/requests?limit=100'],
    ...[...filters, ...more].map(
      (filter) => [`Requests, ${filter}`, `/v1/requests?limit=100&${filter}`] as const,
    ),
    ['Requests, a past day', `/v1/requests?limit=100&${between(480, 456)}`],
    ['Requests, two filters', '/v1/requests?limit=100&model=model-3&status=429'],
    ...['cost', 'duration', 'tokens'].map(
      (sort) => [`Requests by ${sort}`, `/v1/requests?limit=200&sort=${sort}`] as const,
    ),
    ['Sessions', '/v1/conversations?limit=50'],
    ['Sessions of a client', '/v1/conversations?limit=50&client=support-bot'],
    ['Sessions of an end user', '/v1/conversations?limit=50&end_user=user-7'],
    ['Sessions by name', '/v1/conversations?limit=50&search=session-99'],
    ['Session', '/v1/conversations/session-70?limit=200'],
    ['Modules, usage of a month', `/v1/usage?from=${day(29 * 24)}`],
    ['Modules, savings', '/v1/savings'],
    ['Models', '/v1/catalog'],
    ['Usage', `/v1/usage?${month}`],
    ['Usage by end user', `/v1/usage/end-users?${month}`],
    ['Usage by tag', `/v1/usage/tags?${month}&limit=2000`],
    ['Recordings', '/v1/recordings?limit=50'],
    ['Archive', '/v1/archive'],
    ['Keys', '/v1/keys'],
    ['Receipts', '/v1/receipts'],
  ];
}

interface Stores {
  readonly environment: Readonly<Record<string, string>>;
  open(): Promise<Database>;
  /** Between filling and measuring. */
  settle(): Promise<void>;
  /** Of the processes of the database, in milliseconds. */
  cpuMs(): Promise<number>;
}

async function measure(name: string, stores: Stores): Promise<void> {
  const nowMs = Date.now();
  const environment = { WEIR_MODE: 'cloud', ...stores.environment };
  // Filling plays a month in minutes. A gateway that runs meanwhile would sum up the log by today's date.
  const first = await startTestGateway(environment);
  const person = await Person.signUp(first.url);
  await first.close();
  const database = await stores.open();
  const startedAt = performance.now();
  await fillMonth(database, { accountId: person.id, count, nowMs });
  await stores.settle();
  const weir = await startTestGateway(environment);
  console.log(`\n${name}: ${count} calls stored in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  console.log('p50 and highest ms, ms of CPU of this process and of the server, KB:');
  for (const [title, path] of requestsOf(nowMs)) {
    const elapsed: number[] = [];
    const [cpuBefore, serverBefore] = [cpuMs(), await stores.cpuMs()];
    let bytes = 0;
    for (let round = 0; round < rounds; round++) {
      const beganAt = performance.now();
      const { status, text } = await call(weir.url, { path, headers: bearer(person.token) });
      elapsed.push(performance.now() - beganAt);
      bytes = text.length;
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    }
    const [own, server] = [(cpuMs() - cpuBefore) / rounds, ((await stores.cpuMs()) - serverBefore) / rounds];
    const p50 = quantile(elapsed, 0.5);
    const figures = [p50, Math.max(...elapsed), own, server].map((ms) => ms.toFixed(1).padStart(8)).join('');
    console.log(
      `${p50 > 200 ? '!' : ' '} ${title.padEnd(34)}${figures}${(bytes / 1024).toFixed(0).padStart(7)}`,
    );
  }
  await database.close();
  await weir.close();
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Of all connections to this database. On Linux, and if the server runs here. */
async function serverCpuMs(client: Client): Promise<number> {
  const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
  return rows
    .map(({ pid }) => `/proc/${pid}/schedstat`)
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0);
}

/** One partition a day for the month that is filled, as a gateway makes them while it runs. */
async function partitionMonth(client: Client): Promise<void> {
  const dayMs = 86_400_000;
  const until = Math.floor(Date.now() / dayMs) * dayMs;
  for (const table of ['requests', 'request_ids']) {
    const { rows } = await client.query(
      `select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds from pg_inherits
        join pg_class on pg_class.oid = inhrelid
        where inhparent = '${table}'::regclass and pg_get_expr(relpartbound, pg_class.oid) like '%(MINVALUE)%'`,
    );
    const end = /TO \('(\w+)'\)/.exec(rows[0]?.bounds)?.[1] ?? '';
    const starts = Array.from({ length: 31 }, (_, at) => firstIdAt(until - (31 - at) * dayMs));
    await client.query(`drop table ${rows[0]?.name}`);
    await client.query(
      `create table ${table}_past partition of ${table} for values from (minvalue) to ('${starts[0]}')`,
    );
    for (const [at, start] of starts.entries())
      await client.query(
        `create table ${table}_d${at} partition of ${table} for values from ('${start}') to ('${starts[at + 1] ?? end}')`,
      );
  }
}

if (set.only !== 'postgres') {
  const folder = temporaryFolder('weir-dashboard-');
  await measure('SQLite', {
    environment: { WEIR_DATA_DIR: folder },
    open: () => openSqlite({ file: join(folder, 'weir.db') }),
    settle: async () => {},
    cpuMs: async () => 0,
  });
}
if (set.only !== 'sqlite') {
  const servers = await bringUp(process.env);
  Object.assign(process.env, servers.environment);
  const { url, drop } = await createPostgres();
  const client = new Client({ connectionString: url });
  await client.connect();
  await measure('PostgreSQL', {
    environment: {
      DATABASE_URL: url,
      REDIS_URL: process.env.TEST_REDIS_URL ?? '',
      WEIR_SECRET: 'the secret of a benchmark, long enough',
      WEIR_BASE_URL: 'http://127.0.0.1:3099',
    },
    async open() {
      await partitionMonth(client);
      return openPostgres({ url, bounds: defaultPoolBounds });
    },
    settle: async () => void (await client.query('vacuum analyze')),
    cpuMs: () => serverCpuMs(client),
  });
  await client.end();
  await drop();
  await servers.stop();
}
