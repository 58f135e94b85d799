import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProviderEgress } from '../../test/support/provider-egress.ts';
import type { AttemptProgress } from '../kernel/attempt.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { Trace } from '../kernel/trace.ts';
import { systemClock } from '../lib/clock.ts';
import { GoogleAccessTokens } from '../providers/google-access-tokens.ts';
import { openaiCompatible } from '../providers/openai-compatible.ts';
import { createUpstream } from '../providers/upstream.ts';
import { FakeUpstream } from '../testing/fake-upstream.ts';
import { openaiChat, openaiResponses } from '../wire/index.ts';
import { CallSettlement } from './call-settlement.ts';
import { type MeteringParts, meterAttempts } from './metered-attempt.ts';

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

test('attempts at the same time have their own times', async (t) => {
  const fakes = [
    await FakeUpstream.start({ body: completion }),
    await FakeUpstream.start({ status: 503, body: {} }),
  ];
  const connections = openProviderEgress(fakes.map(({ url }) => url));
  t.after(async () => {
    await connections.close();
    for (const fake of fakes) await fake.close();
  });
  const trace = new Trace(performance.now());
  const upstream = meterAttempts(partsWith(connections));
  const replies = await Promise.allSettled(fakes.map(({ url }) => upstream(exchangeTo(url, trace))));
  for (const { status, ...reply } of replies)
    if (status === 'fulfilled' && 'value' in reply) await reply.value.answer();

  assert.deepEqual(
    trace.attempts.map(({ ending }) => ending?.how),
    ['complete', 'failed'],
  );
  for (const attempt of trace.attempts) assertInOrder(attempt);
  const [answered, failed] = trace.attempts;
  assert.ok(answered?.firstContentAtMs !== undefined && failed?.firstContentAtMs === undefined);
});

test('an answer without usage to a request that cannot be read is settled', async (t) => {
  const fake = await FakeUpstream.start({ body: { id: 'resp_1', object: 'response', output: [] } });
  const connections = openProviderEgress([fake.url]);
  t.after(async () => {
    await connections.close();
    await fake.close();
  });
  const trace = new Trace(performance.now());
  const body = '{"model":"m","input":"Hi","max_output_tokens":9007199254740993}';
  const exchange = exchangeTo(fake.url, trace, { wire: openaiResponses, body }).with({ costBound: 5 });
  const reply = await meterAttempts(partsWith(connections))(exchange);
  await reply.answer();
  assert.deepEqual(
    trace.attempts.map(({ ending, bill }) => [ending?.how, bill?.estimated]),
    [['complete', true]],
  );
});

function partsWith({ egress }: ReturnType<typeof openProviderEgress>): MeteringParts {
  return {
    upstream: createUpstream({
      egress,
      signing: new GoogleAccessTokens({ egress, clock: systemClock, tokenUrl: '' }),
      via: '1.1 test',
    }),
    prices: { bill: () => ({ nanoUsd: 1, estimated: false }) },
    onAttemptEnd: () => undefined,
    health: { add: () => undefined },
    settlement: new CallSettlement({ error: (facts) => assert.fail(JSON.stringify(facts)) }),
  };
}

function assertInOrder(
  attempt: AttemptProgress & { startedAtMs: number; endedAtMs: number | undefined },
): void {
  const { startedAtMs, sentAtMs, connectedAtMs, headAtMs, endedAtMs } = attempt;
  const times = [startedAtMs, sentAtMs, connectedAtMs, headAtMs, endedAtMs].map(Number);
  assert.ok(
    times.every((ms, at) => ms >= (times[at - 1] ?? 0)),
    String(times),
  );
}

const chatRequest = {
  wire: openaiChat,
  body: '{"model":"m","messages":[{"role":"user","content":"Hi"}]}',
};

function exchangeTo(baseUrl: string, trace: Trace, { wire, body } = chatRequest): Exchange {
  return new Exchange({
    id: 'req_test',
    clientRequest: new ClientRequest({
      wire,
      fields: LazyJsonObject.of(Buffer.from(body)),
      headers: [],
      query: '',
    }),
    caller: { kind: 'local' },
    target: {
      provider: openaiCompatible({ name: 'p', title: 'P', baseUrl, wires: [openaiChat, openaiResponses] }),
      model: 'm',
    },
    presence: new ClientPresence(),
    trace,
    credentials: { find: async () => undefined },
  });
}
