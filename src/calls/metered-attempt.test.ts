import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProviderEgress } from '../../test/support/provider-egress.ts';
import type { AttemptTimes } from '../kernel/attempt.ts';
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
import { openaiChat } from '../wire/index.ts';
import { CallSettlement } from './call-settlement.ts';
import { meterAttempts } from './metered-attempt.ts';

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
  const { egress, close } = openProviderEgress(fakes.map(({ url }) => url));
  t.after(async () => {
    await close();
    for (const fake of fakes) await fake.close();
  });
  const trace = new Trace(performance.now());
  const upstream = meterAttempts({
    upstream: createUpstream({
      egress,
      signing: new GoogleAccessTokens({ egress, clock: systemClock, tokenUrl: '' }),
      via: '1.1 test',
    }),
    prices: { bill: () => undefined },
    onAttemptEnd: () => undefined,
    health: { add: () => undefined },
    settlement: new CallSettlement({ error: (facts) => assert.fail(JSON.stringify(facts)) }),
  });
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

function assertInOrder(attempt: AttemptTimes & { startedAtMs: number; endedAtMs: number | undefined }): void {
  const { startedAtMs, sentAtMs, connectedAtMs, headAtMs, endedAtMs } = attempt;
  const times = [startedAtMs, sentAtMs, connectedAtMs, headAtMs, endedAtMs].map(Number);
  assert.ok(
    times.every((ms, at) => ms >= (times[at - 1] ?? 0)),
    String(times),
  );
}

function exchangeTo(baseUrl: string, trace: Trace): Exchange {
  const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"Hi"}]}');
  return new Exchange({
    id: 'req_test',
    clientRequest: new ClientRequest({
      wire: openaiChat,
      fields: LazyJsonObject.of(body),
      headers: [],
      query: '',
    }),
    caller: { kind: 'local' },
    target: { provider: openaiCompatible({ name: 'p', title: 'P', baseUrl }), model: 'm' },
    presence: new ClientPresence(),
    trace,
    credentials: { find: async () => undefined },
  });
}
