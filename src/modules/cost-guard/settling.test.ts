import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  answer,
  answerNano,
  estimatedInputNano,
  prices,
  request,
  runCostGuard,
  spentAndHeld,
  usd,
  worstCaseNano,
} from '../../../test/support/cost-guard-fixture.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { ReplyEvent } from '../../kernel/message.ts';
import type { Handler, Module } from '../../kernel/module.ts';
import { answerToEvents } from '../../kernel/reply/answer-events.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { sourceFromValue } from '../../kernel/reply/source.ts';
import { isJsonObject } from '../../lib/json.ts';
import { MemoryBudgets } from '../../storage/memory/memory-budgets.ts';
import { runModule } from '../../testing/run-module.ts';
import { wireFormats } from '../../wire/index.ts';
import { costGuard } from './cost-guard.ts';

test('what was held is settled to what the call cost', async () => {
  const { run, purses: budgets } = runCostGuard({ options: 'day=1' });
  const { step, answer: got } = await run(request);
  assert.deepEqual(got, answer);
  assert.deepEqual([step?.attributes, step?.effect], [{ usd: '0.000068' }, 'passed']);
  assert.deepEqual(await spentAndHeld(budgets), [answerNano, 0]);
});

test('a cost above the worst case counts in full', async () => {
  const { run, purses: budgets } = runCostGuard({ options: `day=${usd(worstCaseNano)}` });
  const dear = { ...answer, usage: { input_tokens: 1, output_tokens: 5000 } };
  assert.ok((await run(request, { upstream: async () => Reply.of(dear) })).answer);
  assert.deepEqual(await spentAndHeld(budgets), [50_001_000, 0]);
});

for (const wire of wireFormats)
  for (const framing of ['json', 'sse'] as const)
    test(`${wire.name} as ${framing} settles what it cost`, async () => {
      const { run, purses: budgets } = runCostGuard({ wire: wire.name, options: 'day=1&month=2' });
      const upstream: Handler = async ({ clientRequest }) => {
        const body = { ...clientRequest.body, stream_options: { include_usage: true } };
        const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
        const encoder = wire.replyEncoder(
          framing,
          new ClientRequest({ wire, fields, headers: [], query: '' }),
        );
        const frames = [...answerToEvents(answer)].map((event) => encoder.push(event) ?? new Uint8Array());
        const bytes = Buffer.concat([...frames, encoder.end() ?? new Uint8Array()]);
        return Reply.relay({ wire, framing, status: 200, headers: [], body: sourceFromValue(bytes) });
      };
      const stream = framing === 'sse';
      const { step, answer: got } = await run({ ...request, stream }, { upstream });
      assert.equal(got?.usage.output_tokens, 6);
      assert.equal(step?.attributes.usd, '0.000068');
      assert.equal('held' in (step?.attributes ?? {}), stream);
      assert.deepEqual(await spentAndHeld(budgets), [answerNano, 0]);
    });

test('a provider that rejects the call or can’t be reached costs nothing', async () => {
  const { run, purses: budgets } = runCostGuard({ options: 'day=1' });
  for (const code of ['upstream_error', 'upstream_unreachable', 'upstream_broken'] as const) {
    const failure = new GatewayError(code, 'no');
    const { error, step } = await run(request, { upstream: () => Promise.reject(failure) });
    assert.equal(error, failure);
    assert.deepEqual(step?.attributes, { usd: '0' });
    assert.deepEqual(await spentAndHeld(budgets), [0, 0]);
  }
});

test('a provider that was still working when its client left, or for too long, bills what it read', async () => {
  const { run, purses: budgets } = runCostGuard({ options: 'day=1' });
  for (const [at, code] of (['client_gone', 'upstream_timeout'] as const).entries()) {
    const failure = new GatewayError(code, 'no');
    await run(request, { upstream: () => Promise.reject(failure) });
    assert.deepEqual(await spentAndHeld(budgets), [estimatedInputNano * (at + 1), 0]);
  }
});

function cutOff(events: readonly ReplyEvent[], failure: unknown): Handler {
  async function* spoken() {
    yield* events;
    throw failure;
  }
  return async () => Reply.stream(spoken());
}

const started: ReplyEvent = {
  type: 'message_start',
  message: { ...answer, content: [], usage: { input_tokens: 8, output_tokens: 1 } },
};
const unsaid: ReplyEvent = { type: 'message_start', message: { ...answer, content: [], usage: {} } };
const block: ReplyEvent = {
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '' },
};
const text: ReplyEvent = {
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'x'.repeat(80) },
};

/** 80 characters are 20 tokens or so, and for this provider a little more. */
const seenNano = 28 * 10_000;

test('a stream that breaks off costs what the provider reported plus the content that arrived', async () => {
  const gone = new GatewayError('client_gone', 'gone');
  const broken = new GatewayError('upstream_broken', 'broken');
  for (const failure of [gone, broken]) {
    const { run, purses: budgets } = runCostGuard({ options: 'day=1' });
    await run({ ...request, stream: true }, { upstream: cutOff([started, block, text], failure) });
    assert.deepEqual(await spentAndHeld(budgets), [8 * 1000 + seenNano, 0]);
  }
});

test('if the provider reported nothing before the stream broke off, the input is estimated', async () => {
  const { run, purses: budgets } = runCostGuard({ options: 'day=1' });
  const upstream = cutOff([unsaid, block, text], new GatewayError('client_gone', 'gone'));
  const { step } = await run({ ...request, stream: true }, { upstream });
  const sentTokens = 200 + Math.ceil((JSON.stringify({ ...request, stream: true }).length * 1) / 2);
  assert.deepEqual(await spentAndHeld(budgets), [estimatedInputNano + seenNano, 0]);
  assert.equal(step?.attributes.held, usd(sentTokens * 1000 + 1_000_000).replace(/0+$/, ''));
});

test('a whole answer without usage is counted by what was sent and seen', async () => {
  const { run, purses: budgets } = runCostGuard({ options: 'day=1' });
  await run(request, { upstream: async () => Reply.of({ ...answer, usage: {} }) });
  const [spent, held] = await spentAndHeld(budgets);
  assert.equal(held, 0);
  assert.ok(spent > estimatedInputNano && spent < estimatedInputNano + 10 * 10_000, String(spent));
});

test('each time that another module sends a call it is paid for, and nothing where it answers by itself', async () => {
  const retrying: Module = {
    api: 1,
    name: 'retrying',
    summary: 'Calls again, unless it was asked to answer.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: ['reply'],
    options: z.strictObject({ answers: z.string().optional() }),
    async handle(exchange, next, kit) {
      if (isJsonObject(kit.options) && 'answers' in kit.options) return Reply.of(answer);
      await next(exchange);
      return next(exchange);
    },
  };
  const purses = new MemoryBudgets(new ManualClock());
  const surroundings = { clock: new ManualClock(), prices, budgets: purses, otherModules: [retrying] };
  const run = runModule(costGuard, { upstream: async () => Reply.of(answer) }, surroundings);
  await run(request, { pipeline: 'retrying,cost-guard?day=1' });
  // The first was discarded before it reported any usage.
  assert.deepEqual(await spentAndHeld(purses), [estimatedInputNano + answerNano, 0]);
  await run(request, { pipeline: 'retrying?answers=yes,cost-guard?day=1' });
  assert.deepEqual(await spentAndHeld(purses), [estimatedInputNano + answerNano, 0]);
});
