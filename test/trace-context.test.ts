import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './support/call.ts';
import { messages, requestSentIn } from './support/formats.ts';
import { shareScriptedGateways } from './support/scripted-gateway.ts';

const enter = shareScriptedGateways();
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${spanId}-01`;

test('the trace of a client goes on to a provider of its format, each attempt with a span of its own', async () => {
  const { fake, weir } = await enter();
  const headers = ['traceparent', traceparent, 'tracestate', 'one=1', 'Tracestate', 'two=2'];
  const spans = new Set([spanId]);
  for (let calls = 0; calls < 2; calls++) {
    await call(weir.url, { ...requestSentIn(messages, false), headers });
    const { headers: seen } = fake.last;
    const [version, trace, span, flags] = String(seen.traceparent).split('-');
    assert.deepEqual([version, trace, flags, seen.tracestate], ['00', traceId, '01', 'one=1, two=2']);
    assert.match(String(span), /^[0-9a-f]{16}$/);
    spans.add(String(span));
  }
  assert.equal(spans.size, 3);
});

test('the log line of a call has the trace of its client', async () => {
  const { weir } = await enter();
  const line = async (headers: readonly string[]) => {
    const { headers: answered } = await call(weir.url, { ...requestSentIn(messages, false), headers });
    const written = weir.logLines.find((text) => text.includes(String(answered['x-request-id'])));
    return JSON.parse(written ?? '{}').trace_id;
  };
  assert.equal(await line(['traceparent', traceparent]), traceId);
  assert.equal(await line([]), undefined);
});

test('an invalid trace context, or one for a provider of another format, goes nowhere', async () => {
  const { fake, weir } = await enter();
  const context = (value: string) => ['traceparent', value, 'tracestate', 'one=1'];
  for (const headers of [context('00-1-2-01'), [...context(traceparent), ...context(traceparent)]]) {
    await call(weir.url, { ...requestSentIn(messages, false), headers });
    assert.deepEqual([fake.last.headers.traceparent, fake.last.headers.tracestate], [undefined, undefined]);
  }
  const body = { model: messages.model, messages: [{ role: 'user', content: 'Hi' }] };
  await call(weir.url, { path: '/v1/chat/completions', body, headers: context(traceparent) });
  assert.deepEqual([fake.last.headers.traceparent, fake.last.headers.tracestate], [undefined, undefined]);
});
