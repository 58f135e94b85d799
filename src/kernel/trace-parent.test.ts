import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from './limits.ts';
import { createSpanId, formatTraceParent, parseTraceParent } from './trace-parent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${spanId}-01`;

test('a valid traceparent is read, with its tracestate', () => {
  const expected = { traceId, spanId, flags: '01', tracestate: 'vendor=1' };
  assert.deepEqual(parseTraceParent(valid, 'vendor=1'), expected);
  assert.deepEqual(parseTraceParent(`cc${valid.slice(2)}-what-the-future-brings`, 'vendor=1'), expected);
});

test('an invalid traceparent is none', () => {
  for (const text of [
    undefined,
    '',
    '00-1-2-01',
    `ff${valid.slice(2)}`,
    valid.toUpperCase(),
    `${valid}-more`,
    `${valid} `,
    `${valid}, ${valid}`,
    `cc${valid.slice(2)}.more`,
    `cc${valid.slice(2)}-${'x'.repeat(limits.traceParentCharactersMax)}`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
  ])
    assert.equal(parseTraceParent(text, 'vendor=1'), undefined, String(text));
});

test('an invalid or oversized tracestate is left out', () => {
  for (const text of ['', 'a=\u00e9', `a=${'x'.repeat(limits.traceStateCharactersMax)}`, 'a=1,'.repeat(40)])
    assert.equal(parseTraceParent(valid, text)?.tracestate, undefined, text);
});

test('our spans continue the trace of the client', () => {
  const parent = parseTraceParent(valid, undefined);
  assert.ok(parent !== undefined);
  const span = createSpanId();
  assert.match(span, /^[0-9a-f]{16}$/);
  assert.notEqual(span, createSpanId());
  assert.equal(formatTraceParent(parent, span), `00-${traceId}-${span}-01`);
});
