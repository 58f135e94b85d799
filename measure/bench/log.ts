// Pages of a request log with a million calls, by every filter there is, summaries, and what writing and cleaning cost:
// npm run bench:log. In SQLite and in PostgreSQL, of TEST_DATABASE_URL or of a server of its own.
// --tags gives every call two tags.
// --calls 1000000 --copies 10 makes ten million rows in PostgreSQL: calls are stored as the gateway does, then copied there.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { bringUp } from '../../scripts/test-servers.ts';
import type { Database } from '../../src/kernel/ports/records.ts';
import type { LogFilter, LoggedCall, LoggedStep, LogQuery } from '../../src/kernel/ports/request-log.ts';
import { firstIdAt } from '../../src/kernel/request-id.ts';
import { limits as serverLimits } from '../../src/server/limits.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { defaultPoolBounds } from '../../src/storage/sql/sql-database.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { AccountRetentions } from '../../src/telemetry/request-log/account-retentions.ts';
import { LogCleaner } from '../../src/telemetry/request-log/log-cleaner.ts';
import { summarizeLog } from '../../src/telemetry/request-log/log-summary.ts';
import { createPostgres } from '../../test/support/stores.ts';
import { numberOption } from './number-option.ts';
import { quantile } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';

const { values: set } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    pages: { type: 'string', default: '600' },
    copies: { type: 'string', default: '1' },
    only: { type: 'string' },
    tags: { type: 'boolean', default: false },
  },
});
const count = numberOption('calls', set.calls);
const pages = numberOption('pages', set.pages);
const copies = numberOption('copies', set.copies);
const isTagged = set.tags;
const monthMs = 30 * 86_400_000;
/** The calls are of the month to come, for which a new database has a partition each day. */
const nowMs = Date.now() + monthMs;

/** Calls are spread over the month. */
function timeOf(at: number): number {
  return nowMs - monthMs + Math.floor((at / count) * monthMs);
}

/** What is measured is told, and not given up. */
const bounds = { ...defaultPoolBounds, statementMs: 60_000, answerMs: 60_000 };

/** The same numbers every time. */
let seed = 1;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

/** Few are often, and many are rare, as names are. */
function skewed(names: readonly string[]): string {
  const at = Math.floor(names.length * (random(1000) / 1000) ** 3);
  return names[at] ?? '';
}

const accounts = Array.from({ length: 20 }, (_, at) => `account-${at}`);
/** The first has half of the calls. */
const keysOf = (account: string) => (account === 'account-0' ? 30 : 3);
const modelsOfKey = 4;
const models = Array.from({ length: 24 }, (_, at) => `model-${at}`);
const providers = ['anthropic', 'openai', 'groq', 'mistral', 'deepseek'];
const statuses = [200, 200, 200, 200, 200, 200, 200, 200, 429, 402, 500, 404];

function someCall(atMs: number): LoggedCall {
  const status = statuses[random(statuses.length)] ?? 200;
  const ending = status >= 400 ? 'failed' : random(200) === 0 ? 'aborted' : 'complete';
  const isHit = status === 200 && random(5) === 0;
  const accountId = random(2) === 0 ? 'account-0' : skewed(accounts);
  const keyAt = Math.floor(keysOf(accountId) * (random(1000) / 1000) ** 2);
  const modelAt = (keyAt * 7 + Math.floor(modelsOfKey * (random(1000) / 1000) ** 2)) % models.length;
  const model = models[modelAt] ?? '';
  return {
    id: firstIdAt(atMs) + randomBytes(10).toString('hex'),
    atMs,
    accountId,
    keyId: `key-${accountId.slice(8)}-${keyAt}`,
    askedBy: null,
    agent: null,
    client: keyAt % 2 === 0 ? 'claude-cli' : 'OpenAI/Python',
    conversation: `session-${keyAt}-${random(100)}`,
    parentConversation: null,
    turn: { tools: '1a2b3c', system: '4d5e6f', called: { Read: 1 } },
    endUser: null,
    tags: isTagged ? { env: 'prod', team: `team-${keyAt}` } : {},
    units: null,
    weight: 1,
    modelAsked: model,
    modelUsed: status === 404 ? null : model,
    provider: status === 404 ? null : (providers[modelAt % providers.length] ?? null),
    wire: 'anthropic-messages',
    providerWire: 'anthropic-messages',
    streamed: random(2) === 0,
    status,
    ending,
    errorCode: status >= 400 ? `code_${status}` : null,
    providerError: status === 429 ? 'rate_limit_exceeded' : null,
    errorMessage: null,
    providerRequestId: `req_${randomBytes(12).toString('hex')}`,
    stopReason: 'end_turn',
    inputTokens: random(20_000),
    outputTokens: random(2000),
    cacheReadTokens: random(10_000),
    cacheWriteTokens: null,
    reasoningTokens: null,
    costNanoUsd: random(50_000_000),
    costEstimated: false,
    savedNanoUsd: isHit ? random(50_000_000) : 0,
    contentMs: 100 + random(3000),
    totalMs: 200 + random(20_000),
    overheadMs: 0.3 + random(10) / 10,
    leftMs: 0.4,
    connectedMs: 0.5,
    headMs: 90,
    pipeline: 'exact-cache,cost-guard?day=5',
    steps: stepsOf(status, isHit),
    changes: [],
    attempts: [],
  };
}

function stepsOf(status: number, isHit: boolean): readonly LoggedStep[] {
  const cache = { module: 'exact-cache', effect: isHit ? 'answered' : 'passed', ms: 0.2, facts: {} } as const;
  const guard = {
    module: 'cost-guard',
    effect: status === 402 ? 'rejected' : 'passed',
    ms: 0.1,
    facts: {},
  } as const;
  return isHit ? [cache] : [cache, guard];
}

/** Each filter that the API has, with what is often, what is rare and what there is none of. */
const choices: { readonly [Name in keyof LogFilter]-?: readonly LogFilter[Name][] } = {
  fromMs: [nowMs - monthMs / 2, nowMs - 3_600_000],
  toMs: [nowMs - monthMs / 3, nowMs - monthMs + 60_000],
  model: ['model-0', 'model-23', 'no such model'],
  provider: ['openai', 'deepseek', 'nobody'],
  keyId: ['key-0-0', 'key-0-29', 'key-19-2', 'no such key'],
  keyIds: [['key-0-0', 'key-0-29']],
  client: ['claude-cli', 'nobody'],
  conversation: ['session-0-0', 'session-29-99', 'no such session'],
  session: [],
  endUser: ['nobody'],
  tags: [{ team: 'team-0' }, { team: 'team-29' }, { team: 'nobody' }],
  wire: ['anthropic-messages', 'mcp'],
  ending: ['complete', 'aborted', 'failed'],
  status: [
    'error',
    { least: 200, greatest: 299 },
    { least: 402, greatest: 402 },
    { least: 503, greatest: 503 },
  ],
  module: ['exact-cache', 'cost-guard', 'ipc'],
  effect: ['passed', 'answered', 'rejected', 'broken'],
  search: ['model-1', '429', 'nothing', firstIdAt(nowMs - monthMs / 4).slice(0, 10)],
};

/** Each alone, then in combinations. */
function* filters(): Generator<LogFilter> {
  yield {};
  for (const [name, values] of Object.entries(choices)) for (const value of values) yield { [name]: value };
  for (;;) {
    const some = Object.entries(choices).filter(() => random(3) === 0);
    yield Object.fromEntries(some.map(([name, values]) => [name, values[random(values.length)]]));
  }
}

/** Partitions wait for the lock of a table no longer than the gateway does, and are made in the next turn. */
async function clean(cleaner: LogCleaner): Promise<number> {
  for (let turn = 0; ; turn++)
    try {
      return await cleaner.clean();
    } catch (thrown) {
      if (turn === 10 || !String(thrown).includes('lock timeout')) throw thrown;
    }
}

/** `copy` adds rows like those that are there; `sizes` tells how large each table is; `cpuMs` what its processes took of processors. */
interface Server {
  copy(): Promise<void>;
  sizes(): Promise<string>;
  cpuMs(): Promise<number>;
}

async function measure(name: string, database: Database, server?: Server): Promise<void> {
  const { requests } = database;
  const batches: number[] = [];
  let simulatedMs = nowMs - monthMs;
  const clock = { now: () => simulatedMs };
  const retentions = new AccountRetentions({ table: database.logRetentions, tiers: new Map(), clock });
  const parts = { log: requests, retentions, clock, pauseMs: 0 };
  const cleaner = new LogCleaner({ ...parts, retentionMs: 2 * monthMs });
  const startedAt = performance.now();
  const [cpuAtStart, writing] = [cpuMs(), { ms: 0, cpuMs: 0 }];
  for (let at = 0; at < count; at += requests.rowsAtOnce) {
    const size = Math.min(requests.rowsAtOnce, count - at);
    const packs = [requests.pack(Array.from({ length: size }, (_, of) => someCall(timeOf(at + of))))];
    const beganAt = performance.now();
    const cpuBefore = cpuMs();
    await requests.addPacked(packs);
    batches.push(performance.now() - beganAt);
    writing.ms += performance.now() - beganAt;
    writing.cpuMs += cpuMs() - cpuBefore;
    if (at % 50_000 !== 0) continue;
    // As it is done once a minute.
    simulatedMs = nowMs - monthMs + Math.floor((at / count) * monthMs);
    await clean(cleaner);
  }
  simulatedMs = nowMs;
  await clean(cleaner);
  console.log(
    `\n${name}: ${Math.round(count / (writing.ms / 1000))} rows a second, ${((writing.cpuMs * 1000) / count).toFixed(1)} µs of this process's processor time for each; with cleaning and making up calls ${((cpuMs() - cpuAtStart) / 1000).toFixed(0)} s`,
  );
  await measureWriting(name, database);
  for (let copied = 1; server !== undefined && copied < copies; copied++) await server.copy();
  if (server !== undefined) console.log(await server.sizes());
  console.log(
    `\n${name}: ${count} calls in ${Math.round((performance.now() - startedAt) / 1000)} s; a batch of ${requests.rowsAtOnce} ${spread(batches)}, of the last tenth ${spread(batches.slice(-batches.length / 10))}`,
  );
  const found: { readonly ms: number; readonly asked: string; readonly calls: number }[] = [];
  const [cpu, serverCpu]: [number[], number[]] = [[], []];
  const generator = filters();
  for (let at = 0; at < pages; at++) {
    const filter: LogFilter = generator.next().value ?? {};
    const beside = [undefined, 'older', 'newer'][at % 3] as 'older' | 'newer' | undefined;
    const question: LogQuery = {
      accountId: [undefined, 'account-0', 'account-19'][Math.floor(at / 3) % 3],
      filter,
      limit: at % 2 === 0 ? 50 : serverLimits.requestLogPageMax,
      beside:
        beside === undefined
          ? undefined
          : { id: firstIdAt(nowMs - random(1000) * (monthMs / 1000)), side: beside },
    };
    const serverBefore = (await server?.cpuMs()) ?? 0;
    const [beganAt, cpuBefore] = [performance.now(), cpuMs()];
    const { calls, more } = await requests.page(question);
    const ms = performance.now() - beganAt;
    cpu.push(cpuMs() - cpuBefore);
    serverCpu.push(((await server?.cpuMs()) ?? 0) - serverBefore);
    if (more && calls.length === 0) throw new Error(`nothing was found in time: ${JSON.stringify(question)}`);
    found.push({ ms, calls: calls.length, asked: JSON.stringify(question) });
  }
  console.log(
    `${pages} pages, by each filter and ${pages} combinations: ${spread(found.map(({ ms }) => ms))}`,
  );
  console.log(`of this process's processor time: ${spread(cpu)}; of the server's: ${spread(serverCpu)}`);
  for (const { ms, calls, asked } of found.toSorted((one, other) => other.ms - one.ms).slice(0, 5))
    console.log(`  ${ms.toFixed(1)} ms, ${calls} calls: ${asked}`);
  for (const accountId of ['account-0', undefined])
    for (const hours of [1, 24, 168, 720]) {
      const serverBefore = (await server?.cpuMs()) ?? 0;
      const [beganAt, cpuBefore] = [performance.now(), cpuMs()];
      const { all } = await summarizeLog(requests, {
        accountId,
        fromMs: nowMs - hours * 3_600_000,
        toMs: nowMs,
        nowMs,
      });
      const [ms, ownMs] = [performance.now() - beganAt, cpuMs() - cpuBefore];
      const serverMs = ((await server?.cpuMs()) ?? 0) - serverBefore;
      console.log(
        `summary of ${hours} h, ${accountId ?? 'all accounts'}: ${ms.toFixed(1)} ms (processor ${ownMs.toFixed(1)}, of the server ${serverMs.toFixed(1)}), ${all.requests} calls`,
      );
    }
  await cleaner.stop();
  const beganAt = performance.now();
  simulatedMs += 3_600_000;
  await new LogCleaner({ ...parts, retentionMs: monthMs / 2 }).clean();
  console.log(`half of it deleted in ${((performance.now() - beganAt) / 1000).toFixed(1)} s`);
}

/** As a replica stores 5,000 calls a second: many calls of a minute share their sums. */
async function measureWriting(name: string, { requests }: Database): Promise<void> {
  const [perSecond, calls] = [5000, 40_000];
  let [ms, ownCpuMs] = [0, 0];
  for (let at = 0; at < calls; at += requests.rowsAtOnce) {
    const batch = Array.from({ length: requests.rowsAtOnce }, (_, of) =>
      someCall(Math.floor(nowMs + ((at + of) * 1000) / perSecond)),
    );
    const [beganAt, cpuBefore] = [performance.now(), cpuMs()];
    await requests.addPacked([requests.pack(batch)]);
    ms += performance.now() - beganAt;
    ownCpuMs += cpuMs() - cpuBefore;
  }
  console.log(
    `${name}, ${perSecond} calls of a second together: ${Math.round(calls / (ms / 1000))} rows a second, ${((ownCpuMs * 1000) / calls).toFixed(1)} µs of this process's processor time for each`,
  );
}

/** Rows with other ids at the same times. Their sums are not added again: they are as many rows for any number of calls. */
async function copyRows(client: Client): Promise<void> {
  const { rows } = await client.query(`select column_name as name from information_schema.columns
    where table_name = 'requests' and column_name <> 'id' order by ordinal_position`);
  const columns = rows.map((row) => row.name).join(', ');
  await client.query(`begin; set local weir.counted = 'on';
    insert into requests (id, ${columns}) select left(id, 16) || substr(md5(random()::text || id), 1, 20), ${columns}
      from (select * from requests order by id limit ${count}) as originals;
    commit`);
}

/** Of all connections to this database. On Linux, and if the server runs here. */
async function serverCpuMs(client: Client): Promise<number> {
  const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
  return rows
    .map(({ pid }) => `/proc/${pid}/schedstat`)
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0);
}

async function tableSizes(client: Client): Promise<string> {
  const { rows } = await client.query(`
    select case when relname like 'requests%' then 'requests' else relname end as name, count(*) as tables,
      pg_size_pretty(sum(pg_table_size(oid))) as data, pg_size_pretty(sum(pg_indexes_size(oid))) as indexes,
      sum(greatest(reltuples, 0))::bigint as rows
    from pg_class where relkind = 'r' and relname like 'request%' group by 1 order by sum(pg_total_relation_size(oid)) desc`);
  return rows
    .map((row) => `  ${row.name} (${row.tables}): ${row.rows} rows, ${row.data}, indexes ${row.indexes}`)
    .join('\n');
}

/** What this process used of processors: with SQLite all there is, however busy the machine is with other things. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function spread(values: readonly number[]): string {
  return `p50 ${quantile(values, 0.5).toFixed(1)}, p95 ${quantile(values, 0.95).toFixed(1)}, worst ${Math.max(...values).toFixed(1)} ms`;
}

if (set.only !== 'postgres') {
  const folder = temporaryFolder('weir-log-');
  const database = await openSqlite({ file: join(folder, 'weir.db'), bounds });
  await measure('SQLite', database);
  await database.close();
}
if (set.only !== 'sqlite') {
  const servers = await bringUp(process.env);
  Object.assign(process.env, servers.environment);
  const { url, drop } = await createPostgres();
  const database = await openPostgres({ url, bounds });
  const client = new Client({ connectionString: url });
  await client.connect();
  const analyse = async () => {
    await client.query('vacuum analyze');
    return tableSizes(client);
  };
  await measure('PostgreSQL', database, {
    copy: () => copyRows(client),
    sizes: analyse,
    cpuMs: () => serverCpuMs(client),
  });
  await client.end();
  await database.close();
  await drop();
  await servers.stop();
}
