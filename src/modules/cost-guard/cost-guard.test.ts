import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import {
  answer,
  answerNano,
  holder,
  prices,
  refusal,
  request,
  runCostGuard,
  spentAndHeld,
  spentAndHeldAfterSettlement,
  usd,
  windows,
  worstCaseNano,
} from '../../../test/support/cost-guard-fixture.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { freshRedis } from '../../../test/support/stores.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { Handler } from '../../kernel/module.ts';
import type { Budgets } from '../../kernel/ports/budget.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { demo } from '../../providers/demo/demo.ts';
import { MemoryBudgets } from '../../storage/memory/memory-budgets.ts';
import { RedisBudgets } from '../../storage/redis/redis-budgets.ts';
import { RedisConnection } from '../../storage/redis/redis-connection.ts';
import { runModule } from '../../testing/run-module.ts';
import { testPrices } from '../../testing/test-prices.ts';
import { anthropicMessages, wireFormats } from '../../wire/index.ts';
import { costGuard } from './cost-guard.ts';
import { costGuardOptions, strictest } from './options.ts';

test('without a ceiling it is not even run', async () => {
  const { run } = runCostGuard();
  for (const options of ['', 'assume_output=5', 'clamp=true']) {
    const { answer: got, step } = await run(request, { options });
    assert.deepEqual([got?.id, step], ['msg_1', undefined]);
  }
});

test('a request that could cost more than it may is refused with 400 before anything is sent', async () => {
  const { run, purses: budgets } = runCostGuard();
  const { error, sent, step } = await run(request, { options: `request=${usd(worstCaseNano - 1)}&day=1` });
  const { status, message } = refusal(error, 'request_cost_exceeded');
  assert.equal(status, 400);
  assert.match(message, /could cost 0\.001237 USD \(237 tokens in, 100 out\)/);
  assert.match(message, /may cost at most 0\.001236999 USD/);
  assert.deepEqual([sent.length, step?.effect], [0, 'rejected']);
  assert.equal(
    (await budgets.hold({ holder, windows, amount: 0, least: 0, ceilings: {} })).outcome,
    'uncounted',
  );
  assert.ok((await run(request, { options: `request=${usd(worstCaseNano)}` })).answer);
});

test('a call whose size its provider alone knows is refused with the field that makes it so, and let through by assume_input', async () => {
  const { run } = runCostGuard();
  const thread = Object.assign(
    { ...request },
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
  );
  const { error, sent } = await run(thread, { options: 'request=0.01' });
  const { status, message } = refusal(error, 'request_cost_exceeded');
  assert.deepEqual([status, sent.length], [400, 0]);
  assert.match(message, /because of "thread" and that cost-guard\?assume_input=… overrides/);
  assert.ok((await run(thread, { options: 'request=0.01&assume_input=500' })).answer);
});

test('past the ceiling of the day it is 402 with what is left, until the day ends', async () => {
  const { run, clock } = runCostGuard({ options: `day=${usd(worstCaseNano + answerNano)}` });
  assert.ok((await run(request)).answer);
  assert.ok((await run(request)).answer);
  const { error, sent } = await run(request);
  const { status, message, details } = refusal(error, 'cost_ceiling_exceeded');
  assert.equal(status, 402);
  assert.deepEqual([details.retryAfterSeconds, details.resetsAtMs], [undefined, Date.UTC(2026, 10, 16)]);
  assert.match(message, /0\.001169 USD of the day's 0\.001305 USD is left \(0\.000136 USD spent\)/);
  assert.match(message, /the next day begins at 2026-11-16T00:00:00\.000Z/);
  assert.equal(sent.length, 0);
  clock.move(12 * 3_600_000);
  assert.ok((await run(request)).answer);
});

test('a ceiling per tag is that of each value, and one of all calls without the tag', async () => {
  const { run } = runCostGuard({ options: `day=${usd(worstCaseNano)}&per=tag:team` });
  const search = { tags: { team: 'search', env: 'prod' } };
  assert.ok((await run(request, search)).answer);
  const { message } = refusal((await run(request, search)).error, 'cost_ceiling_exceeded');
  assert.match(message, /of the day's 0\.001237 USD for team=search is left/);
  assert.ok((await run(request, { tags: { team: 'ads' } })).answer);
  assert.ok((await run(request, { tags: { env: 'prod' } })).answer);
  assert.match(refusal((await run(request)).error, 'cost_ceiling_exceeded').message, /without the tag team/);
});

test('ceilings of a key and of tags hold together, and a refusal by one gives back what the others held', async () => {
  const clock = new ManualClock();
  const budgets = new MemoryBudgets(clock);
  const options = strictest([
    costGuardOptions.parse({ day: usd(3 * worstCaseNano) }),
    costGuardOptions.parse({ day: usd(worstCaseNano), per: 'tag:team' }),
  ]);
  const module = { ...costGuard, options: z.object({}).transform(() => options) };
  const both = runModule(module, { upstream: async () => Reply.of(answer) }, { prices, budgets, clock });
  assert.ok((await both(request, { tags: { team: 'search' } })).answer);
  const { error, sent } = await both(request, { tags: { team: 'search' } });
  assert.match(refusal(error, 'cost_ceiling_exceeded').message, /for team=search/);
  assert.equal(sent.length, 0);
  assert.deepEqual(await spentAndHeldAfterSettlement(budgets), [answerNano, 0]);
  assert.ok((await both(request, { tags: { team: 'ads' } })).answer);
  assert.deepEqual(await spentAndHeldAfterSettlement(budgets), [2 * answerNano, 0]);
});

test('past the ceiling of the month it is 402 until the month ends', async () => {
  const { run, clock } = runCostGuard({ options: `day=1&month=${usd(worstCaseNano)}` });
  assert.ok((await run(request)).answer);
  const { message, details } = refusal((await run(request)).error, 'cost_ceiling_exceeded');
  assert.match(message, /of the month's .* the next month begins at 2026-12-01T00:00:00\.000Z/);
  assert.equal(details.resetsAtMs, Date.UTC(2026, 11, 1));
  clock.move(15.5 * 86_400_000);
  assert.ok((await run(request)).answer);
});

test('the holds of calls in flight are distinguished from what was spent', async () => {
  const { run } = runCostGuard({ options: `day=${usd(worstCaseNano + answerNano)}&wait=0s` });
  await run(request);
  const open = Promise.withResolvers<Reply>();
  const first = run(request, { upstream: () => open.promise });
  const { message } = refusal((await run(request)).error, 'cost_ceiling_exceeded');
  assert.match(message, /0 USD of .* left \(0\.000068 USD spent, 0\.001237 USD held for calls in flight\)/);
  open.resolve(Reply.of(answer));
  assert.ok((await first).answer);
});

test('a call waits for money that others hold, unless its client leaves or what is spent leaves no room', async () => {
  const { run, purses } = runCostGuard({ options: `day=${usd(worstCaseNano + 2 * answerNano)}` });
  await run(request);
  const open = Promise.withResolvers<Reply>();
  const first = run(request, { upstream: () => open.promise });
  const client = new AbortController();
  const waiting = [run(request), run(request, { signal: client.signal }), run(request)];
  await eventually(async () => ((await spentAndHeld(purses))[1] === worstCaseNano ? true : undefined));
  client.abort();
  refusal((await waiting[1])?.error, 'client_gone');
  open.resolve(Reply.of(answer));
  assert.ok((await first).answer);
  assert.ok((await waiting[0])?.answer);
  refusal((await waiting[2])?.error, 'cost_ceiling_exceeded');
  assert.deepEqual(await spentAndHeld(purses), [3 * answerNano, 0]);
});

test('each key has its own ceiling', async () => {
  const { run } = runCostGuard({ options: `day=${usd(worstCaseNano)}` });
  const callers = [
    {},
    { account: 'a', key: 'one' },
    { account: 'a', key: 'two' },
    { account: 'b', key: 'one' },
  ];
  for (const caller of callers) assert.ok((await run(request, caller)).answer);
  for (const caller of callers) refusal((await run(request, caller)).error, 'cost_ceiling_exceeded');
});

const stores: Readonly<Record<string, (t: TestContext) => Promise<readonly [Budgets, Budgets]>>> = {
  'in memory': async () => {
    const purses = new MemoryBudgets(new ManualClock());
    return [purses, purses];
  },
  'of two replicas on one Redis': async (t) => {
    const url = await freshRedis(t);
    return [await redisPurses(t, url), await redisPurses(t, url)];
  },
};

async function redisPurses(t: TestContext, url: string): Promise<Budgets> {
  const link = await RedisConnection.open({ url });
  t.after(() => link.close());
  return new RedisBudgets(link);
}

for (const [where, open] of Object.entries(stores))
  test(`of 500 calls at once exactly the 100 that a ceiling affords go out, ${where}`, async (t) => {
    const replicas = await open(t);
    const options = `day=${usd(worstCaseNano * 100)}&month=1000&wait=0s`;
    const runs = replicas.map((budgets) => runCostGuard({ options }, budgets).run);
    const [first, second] = runs;
    assert.ok(first !== undefined && second !== undefined);
    const gate = Promise.withResolvers<void>();
    const upstream: Handler = async () => {
      await gate.promise;
      return Reply.of(answer);
    };
    let refused = 0;
    const calls = Array.from({ length: 500 }, async (_, at) => {
      const { answer: got, error } = await (at % 2 ? first : second)(request, { upstream });
      if (got !== undefined) return;
      refusal(error, 'cost_ceiling_exceeded');
      if (++refused === 400) gate.resolve();
    });
    await Promise.all(calls);
    assert.equal(refused, 400);
    assert.deepEqual(await spentAndHeldAfterSettlement(replicas[0]), [answerNano * 100, 0]);
  });

test('several answers to one question are each as long as one', async () => {
  const { run } = runCostGuard({ wire: 'openai-chat' });
  const both = { ...request, extensions: { 'openai-chat!': { n: 3 } } };
  const upstream: Handler = async () => assert.fail('nothing is sent');
  const { error } = await run(both, { options: 'request=0.000001', upstream });
  assert.match(refusal(error, 'request_cost_exceeded').message, /, 300 out\)/);
});

test('without a limit of its own a call is taken to be as long as its model can, or as is assumed', async () => {
  const { run } = runCostGuard();
  const { max_tokens: _, ...open } = request;
  const outOf = async (options: string) =>
    /(\d+) out\)/.exec(refusal((await run(open, { options })).error, 'request_cost_exceeded').message)?.[1];
  assert.equal(await outOf('request=0.000001'), '1000');
  const unlimited = await run(open, { options: 'day=0.000001' });
  assert.match(refusal(unlimited.error, 'cost_ceiling_exceeded').message, /sets no output limit.*clamp=true/);
  assert.equal(await outOf('request=0.000001&assume_output=70'), '70');
  const { error } = await run(request, { options: 'request=0.000001&assume_output=7' });
  assert.match(refusal(error, 'request_cost_exceeded').message, /, 100 out\)/);
});

test('what a provider may read besides the request is reckoned with', async () => {
  const { run } = runCostGuard();
  const searching: ChatRequest = {
    ...request,
    tools: [Object.assign({ type: 'web_search_20250305', name: 'web_search' }, { max_uses: 2 })],
  };
  const inOf = async (asked: ChatRequest, options: string) => {
    const { error } = await run(asked, { options });
    return Number(/\((\d+) tokens in/.exec(refusal(error, 'request_cost_exceeded').message)?.[1]);
  };
  const twoSearches = await inOf(searching, 'request=0.000001');
  assert.ok(twoSearches > 40_000 && twoSearches < 43_000, String(twoSearches));
  const fetching: ChatRequest = { ...request, tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] };
  assert.equal(await inOf(fetching, 'request=0.000001'), 50_000);
  const finding: ChatRequest = { ...request, tools: [{ type: 'tool_search_tool_bm25', name: 'find' }] };
  assert.ok((await inOf(finding, 'request=0.000001')) < 3000);
  assert.equal(await inOf(searching, 'request=0.000001&assume_input=9000'), 9000);
  const shell: ChatRequest = { ...request, tools: [{ type: 'bash_20250124', name: 'bash' }] };
  assert.ok((await inOf(shell, 'request=0.000001')) < 3000);
});

test('a model without a price is rejected, unless that is allowed', async () => {
  const unpriced = { priceOf: () => undefined, bill: () => undefined };
  const run = runModule(costGuard, { upstream: async () => Reply.of(answer) }, { prices: unpriced });
  const { error, sent } = await run(request, { options: 'day=5' });
  const { status, message } = refusal(error, 'model_not_priced');
  assert.equal(status, 400);
  assert.match(message, /no price for the model "m" of the demonstration model.* cost-guard\?unknown=allow/);
  assert.equal(sent.length, 0);
  assert.ok((await run(request, { options: 'day=5&unknown=allow' })).answer);
});

test('what is free needs no purse, but one that says what it charged is believed', async () => {
  const budgets = new MemoryBudgets(new ManualClock());
  const free = testPrices({ input: 0, output: 0 });
  const upstream: Handler = async () => Reply.of(answer);
  const run = runModule(costGuard, { upstream }, { prices: free, budgets, clock: new ManualClock() });
  assert.ok((await run(request, { options: 'day=0.000001' })).answer);
  assert.equal(budgets.size, 0);
  const charging = { ...free, bill: () => ({ nanoUsd: 7, estimated: false }) };
  const other = runModule(costGuard, { upstream }, { prices: charging, budgets, clock: new ManualClock() });
  assert.ok((await other(request, { options: 'day=1', provider: { ...demo, reportsCost: true } })).answer);
  assert.deepEqual(await spentAndHeld(budgets), [7, 0]);
});

test('clamped, a call gets the output that is left for it', async () => {
  const wanting: ChatRequest = { ...request, max_tokens: 1000 };
  const inputNano = 1000 * (200 + Math.ceil(JSON.stringify(wanting).length / 2));
  const { run, purses: budgets } = runCostGuard({
    options: `day=${usd(inputNano + 400 * 10_000 + 9999)}&clamp=true`,
  });
  const { sent, step } = await run(wanting);
  assert.equal(sent[0]?.max_tokens, 400);
  assert.deepEqual([step?.effect, step?.attributes.max_tokens], ['changed-request', 400]);
  assert.deepEqual(await spentAndHeld(budgets), [answerNano, 0]);
  const small = await run({ ...wanting, max_tokens: 300 });
  assert.equal(small.sent[0]?.max_tokens, 300);
  assert.equal(small.step?.effect, 'passed');
});

test('clamped by the ceiling of a request, in every format, under the name of its limit', async () => {
  for (const wire of wireFormats) {
    const { run } = runCostGuard({ wire: wire.name });
    const encoded: string[] = [];
    const upstream: Handler = async ({ request, clientRequest }: Exchange) => {
      encoded.push(Buffer.from(wire.encodeRequest(request, clientRequest).body).toString());
      return Reply.of(answer);
    };
    await run({ ...request, max_tokens: 900 }, { upstream, options: 'request=0.005&clamp=true' });
    const limit = Number(
      /"max(?:_completion|_output)?(?:_t|OutputT)okens":(\d+)/.exec(encoded[0] ?? '')?.[1],
    );
    assert.ok(limit > 400 && limit < 490, String(encoded[0]));
  }
});

test('a limit that is ours to choose leaves room for other calls, and is what is left in the end', async () => {
  const { max_tokens: _, ...open } = request;
  const wide = testPrices({ input: 1, output: 10 }, { outputTokensMax: 64_000 });
  const budgets = new MemoryBudgets(new ManualClock());
  const upstream: Handler = async () => Reply.of(answer);
  const provider = { ...demo, wires: [anthropicMessages] };
  const run = runModule(costGuard, { upstream }, { prices: wide, budgets, clock: new ManualClock() });
  const limitFor = async (options: string, client: { readonly wire?: string } = { wire: 'openai-chat' }) => {
    const account = `${options} ${client.wire}`;
    const { sent, error } = await run(open, { options, provider, account, ...client });
    return error === undefined ? sent[0]?.max_tokens : error;
  };
  const eighth = await limitFor('day=4');
  assert.ok(typeof eighth === 'number' && eighth > 49_000 && eighth < 50_000, String(eighth));
  assert.equal(await limitFor('day=0.2'), 8192);
  assert.equal(await limitFor('day=100'), undefined);
  const little = await limitFor('day=0.02');
  assert.ok(typeof little === 'number' && little > 1800 && little < 2000, String(little));
  refusal(await limitFor('day=0.0001'), 'cost_ceiling_exceeded');
  refusal(await limitFor('day=0.2', {}), 'cost_ceiling_exceeded');
});

test('clamped, a call that could hardly say anything is refused all the same', async () => {
  const wanting: ChatRequest = { ...request, max_tokens: 1000 };
  const inputNano = 1000 * (200 + Math.ceil(JSON.stringify(wanting).length / 2));
  const { run } = runCostGuard();
  const options = (tokens: number) => `day=${usd(inputNano + tokens * 10_000)}&clamp=true`;
  refusal((await run(wanting, { options: options(255), account: 'a' })).error, 'cost_ceiling_exceeded');
  assert.equal((await run(wanting, { options: options(256), account: 'b' })).sent[0]?.max_tokens, 256);
  const thinking: ChatRequest = { ...wanting, thinking: { type: 'enabled', budget_tokens: 500 } };
  const { error } = await run(thinking, { options: options(700), account: 'c' });
  refusal(error, 'cost_ceiling_exceeded');
});

test('clients are warned when four fifths of a ceiling are spent', async () => {
  const { run } = runCostGuard({ options: `day=1&month=${usd(answerNano * 100)}` });
  const many = { ...answer, usage: { input_tokens: 8 * 79, output_tokens: 6 * 79 } };
  assert.deepEqual((await run(request, { upstream: async () => Reply.of(many) })).moduleHeaders, []);
  assert.deepEqual((await run(request)).moduleHeaders, []);
  assert.deepEqual((await run(request)).moduleHeaders, ['x-weir-cost-warning', 'month=80%']);
  assert.deepEqual((await run(request)).moduleHeaders, ['x-weir-cost-warning', 'month=81%']);
});

test('a store that does not answer refuses the call', async () => {
  const away = () => Promise.reject(new GatewayError('storage_unavailable', 'away'));
  const budgets: Budgets = { hold: away, settle: away, renew: away, read: away, begin: away, forget: away };
  const { error, sent } = await runCostGuard({ options: 'day=1' }, budgets).run(request);
  refusal(error, 'storage_unavailable');
  assert.equal(sent.length, 0);
});
