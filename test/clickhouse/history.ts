// Run by npm run test:clickhouse, which has ClickHouse's engine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import type {
  LogFilter,
  LoggedCall,
  LogReader,
  LogSums,
  RequestLog,
} from '../../src/kernel/ports/request-log.ts';
import { ClickHouseHistory } from '../../src/telemetry/log-history/clickhouse-history.ts';
import {
  connectToClickHouse,
  createClickHouseTarget,
  type PostToClickHouse,
} from '../../src/telemetry/log-sinks/clickhouse.ts';
import { toSinkLine } from '../../src/telemetry/log-sinks/sink-line.ts';
import { openEmptyDatabase } from '../../src/testing/empty-database.ts';
import { olderCursor, someStep, startMs } from '../conformance/database/request-log-samples.ts';
import { someCall, someRequestId } from '../conformance/database/samples.ts';
import { Random } from '../fuzz/random.ts';
import { cleanUp } from '../support/clean-up.ts';
import { emptyFolder } from '../support/weir-process.ts';

const hourMs = 3_600_000;
/** The sums of the log are of whole minutes. */
const firstMs = Math.floor(startMs / hourMs) * hourMs;
const texts = ['plain', "it's", 'a\\b', 'tab\there', 'line\nbreak', '50 % _', 'größe', '{p0:String}', '"\'`'];
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

test(`pages, calls and sums of ClickHouse are those of the log (SEED=${seed})`, async (t) => {
  const { log, history } = await setUp(t);
  for (const filter of filters())
    for (const accountId of ['account-0', undefined]) {
      const name = JSON.stringify([filter, accountId]);
      assertSameCalls(
        await walk(history, accountId, filter),
        await walk(log, accountId, filter),
        `older pages: ${name}`,
      );
      // The log never sorts the calls of a session.
      for (const sort of filter.session === undefined ? (['cost', 'duration', 'tokens'] as const) : []) {
        const query = { accountId, filter, sort, limit: 7 };
        const [ours, theirs] = await Promise.all([history.page(query), log.page(query)]);
        assertSameCalls(ours.calls, theirs.calls, `sorted by ${sort}: ${name}`);
      }
    }
  const [middle] = (await log.page({ accountId: undefined, filter: {}, limit: 200 })).calls.slice(150);
  assert.ok(middle !== undefined);
  const newer = {
    accountId: undefined,
    filter: {},
    limit: 20,
    beside: { id: middle.id, side: 'newer' },
  } as const;
  assert.deepEqual(await history.page(newer), await log.page(newer));
  assert.deepEqual(await history.find(middle.id, middle.accountId), middle);
  assert.equal(await history.find(middle.id, 'another'), undefined);

  for (const accountId of ['account-0', undefined])
    for (const stepMs of [60_000, hourMs]) {
      const query = { accountId, fromMs: firstMs, toMs: firstMs + 3 * hourMs, stepMs };
      assert.deepEqual(sorted(await history.sums(query)), sorted(await log.sums(query)));
    }
});

test('a call that was sent twice is one', async (t) => {
  const { send, history, calls } = await setUp(t, 20);
  const query = { accountId: undefined, fromMs: firstMs, toMs: firstMs + 3 * hourMs, stepMs: hourMs };
  const before = sorted(await history.sums(query));
  await send(calls.slice(0, 10));
  assert.deepEqual(sorted(await history.sums(query)), before);
  assert.equal((await walk(history, undefined, {})).length, calls.length);
});

/** Their ids first, which are easier to read. */
function assertSameCalls(
  actual: readonly LoggedCall[],
  expected: readonly LoggedCall[],
  message: string,
): void {
  const idsOf = (calls: readonly LoggedCall[]) => calls.map(({ id }) => id);
  assert.deepEqual(idsOf(actual), idsOf(expected), message);
  assert.deepEqual(actual, expected, message);
}

/** Each value that the random calls have, and combinations. */
function filters(): readonly LogFilter[] {
  return [
    {},
    ...texts.flatMap((text) => [
      { model: text },
      { conversation: text },
      { endUser: text },
      { search: text.slice(1) },
      { tags: { team: text } },
      { tags: { [text]: 'x' } },
    ]),
    ...[
      { provider: null },
      { provider: 'groq' },
      { keyId: 'key' },
      { client: 'codex' },
      { wire: 'openai-chat' },
    ],
    ...([{ status: 'error' }, { status: { least: 400, greatest: 499 } }, { ending: 'aborted' }] as const),
    ...([
      { module: 'exact-cache' },
      { module: 'ipc' },
      { module: 'exact-cache', effect: 'answered' },
    ] as const),
    ...([{ effect: 'changed-request' }, { effect: 'changed-reply' }, { effect: 'rejected' }] as const),
    ...[
      { session: 'plain' },
      { session: 'parent' },
      { search: 'req_' },
      { search: 'OVERLOADED' },
      { search: '%' },
    ],
    { fromMs: firstMs + hourMs / 2, toMs: firstMs + hourMs, status: 'error', client: 'codex' },
  ];
}

async function walk(
  reader: Pick<LogReader, 'page'>,
  accountId: string | undefined,
  filter: LogFilter,
): Promise<readonly LoggedCall[]> {
  const all: LoggedCall[] = [];
  let page = await reader.page({ accountId, filter, limit: 40 });
  for (;;) {
    all.push(...page.calls);
    if (!page.more) return all;
    page = await reader.page({ accountId, filter, limit: 40, beside: olderCursor(page) });
  }
}

/** Sums have no order. */
function sorted(sums: LogSums): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(sums).map(([name, rows]) => [name, rows.map((row: object) => canonical(row)).sort()]),
  );
}

function canonical(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function setUp(t: TestContext, count = 600) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const log: RequestLog = database.requests;
  const post = await startClickHouse(t);
  const table = `weir_requests`;
  const created = await post({ parameters: {}, body: tableStatement() });
  assert.ok(created.ok, await created.text());
  const target = createClickHouseTarget(table, post);
  const send = (calls: readonly LoggedCall[]) =>
    target.send({ id: calls[0]?.id ?? '', atMs: 0, text: calls.map(toSinkLine).join('\n') });
  const calls = randomCalls(count);
  await Promise.all([log.add(calls), send(calls)]);
  return { log, history: new ClickHouseHistory(table, post), send, calls };
}

/** The statement of the documentation. */
function tableStatement(): string {
  const page = readFileSync(new URL('../../docs/reference/request-log.md', import.meta.url), 'utf8');
  const statement = /```sql\n(CREATE TABLE[^`]*)```/.exec(page)?.[1];
  assert.ok(statement !== undefined);
  return statement;
}

async function startClickHouse(t: TestContext): Promise<PostToClickHouse> {
  const child = spawn(
    process.execPath,
    [new URL('server.ts', import.meta.url).pathname, process.env.CHDB_MODULE ?? ''],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  cleanUp(t, async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const [port] = await once(createInterface(child.stdout), 'line');
  return connectToClickHouse({ url: `http://127.0.0.1:${port}`, key: undefined, table: '' }, (input, init) =>
    fetch(input, init),
  );
}

/** The same for a seed. */
function randomCalls(count: number): readonly LoggedCall[] {
  const random = new Random(seed);
  const below = (most: number) => random.below(most);
  const one = <Item>(items: readonly Item[]): Item => random.pick(items);
  const maybe = <Item>(item: Item) => (random.happens(0.5) ? item : null);
  return Array.from({ length: count }, () => {
    const status = one([200, 200, 200, 404, 499, 529]);
    return someCall({
      id: someRequestId(firstMs + below(2 * hourMs)),
      accountId: `account-${below(3)}`,
      keyId: maybe('key'),
      client: maybe(one(['codex', 'claude-cli'])),
      conversation: maybe(one(texts)),
      parentConversation: maybe('parent'),
      endUser: maybe(one(texts)),
      tags: random.happens(0.5) ? {} : { team: one(texts), [one(texts)]: 'x' },
      askedBy: one([null, null, null, 'patterns']),
      modelAsked: one(texts),
      modelUsed: maybe(one(texts)),
      provider: one(['openai', 'groq', null]),
      streamed: random.happens(0.5),
      status,
      ending: status === 200 ? one(['complete', 'complete', 'failed', 'aborted'] as const) : 'failed',
      errorCode: status === 200 ? null : one(texts),
      providerError: status === 529 ? 'overloaded_error' : null,
      errorMessage: status === 200 ? null : one(texts),
      inputTokens: maybe(below(100_000)),
      costNanoUsd: maybe(below(1_000_000_000)),
      savedNanoUsd: below(1000) - 500,
      contentMs: maybe(below(5_000_000) / 1000),
      totalMs: below(90_000_000) / 1000,
      overheadMs: below(9000) / 1000,
      steps: [
        ...(random.happens(0.5)
          ? [someStep('exact-cache', one(['answered', 'passed'] as const), below(70))]
          : []),
        ...(below(2) === 0
          ? [someStep('ipc', one(['changed-request', 'changed-both', 'rejected'] as const), below(70))]
          : []),
      ],
    });
  });
}
