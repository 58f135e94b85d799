// What each page of the dashboard asks the gateway, with a million calls of one account over 30 days:
// npm run bench:dashboard. In SQLite and in PostgreSQL (--only sqlite, --only postgres), of TEST_DATABASE_URL or of a server of its own.
import { parseArgs } from 'node:util';
import { firstIdAt } from '../../../src/kernel/request-id.ts';
import { startTestGateway } from '../../../src/testing/test-gateway.ts';
import { Person } from '../../../test/support/cloud.ts';
import { type MeasuredDatabase, onEachDatabase, printCosts } from '../each-database.ts';
import { numberOption } from '../number-option.ts';
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

await onEachDatabase(set.only, async (measured) => {
  const nowMs = Date.now();
  // Filling plays a month in minutes. A gateway that runs meanwhile would sum up the log by today's date.
  const first = await startTestGateway(measured.environment);
  const person = await Person.signUp(first.url);
  await first.close();
  if (measured.name === 'PostgreSQL') await partitionMonth(measured);
  const database = await measured.open();
  const startedAt = performance.now();
  await fillMonth(database, { accountId: person.id, count, nowMs });
  await measured.settle();
  const weir = await startTestGateway(measured.environment);
  console.log(
    `\n${measured.name}: ${count} calls stored in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  await printCosts(measured, { url: weir.url, token: person.token, rounds, requests: requestsOf(nowMs) });
  await database.close();
  await weir.close();
});

/** One partition a day for the month that is filled, as a gateway makes them while it runs. */
async function partitionMonth({ query }: MeasuredDatabase): Promise<void> {
  const dayMs = 86_400_000;
  const until = Math.floor(Date.now() / dayMs) * dayMs;
  for (const table of ['requests', 'request_ids']) {
    const [past] = await query(
      `select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds from pg_inherits
        join pg_class on pg_class.oid = inhrelid
        where inhparent = '${table}'::regclass and pg_get_expr(relpartbound, pg_class.oid) like '%(MINVALUE)%'`,
    );
    const end = /TO \('(\w+)'\)/.exec(String(past?.bounds))?.[1] ?? '';
    const starts = Array.from({ length: 31 }, (_, at) => firstIdAt(until - (31 - at) * dayMs));
    await query(`drop table ${past?.name}`);
    await query(
      `create table ${table}_past partition of ${table} for values from (minvalue) to ('${starts[0]}')`,
    );
    for (const [at, start] of starts.entries())
      await query(
        `create table ${table}_d${at} partition of ${table} for values from ('${start}') to ('${starts[at + 1] ?? end}')`,
      );
  }
}
