import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientRequestFrom, replay } from '../../../test/support/wire/replay.ts';
import { parseBody } from '../../kernel/json/parse-body.ts';
import type { JsonObject } from '../../lib/json.ts';
import { wireFormats } from '../index.ts';
import { gemini } from './gemini.ts';

const args = {
  city: 'Grüße "aus" 東京 🌊\n',
  limit: JSON.rawJSON('12345678901234567'),
  exact: true,
  none: null,
  rivers: [
    { name: 'Isar', 'mean level': 1.5 },
    { name: 'Inn', tags: ['a', 'b'] },
  ],
  "o'clock.x": 'now',
};
const exactArgs = JSON.stringify(args);

/** As Vertex AI streams a call: its name first, then value by value, texts in pieces, and a piece that says nothing for an end. */
const pieces: readonly object[] = [
  { name: 'save', willContinue: true },
  { partialArgs: [{ jsonPath: '$.city', stringValue: 'Grüße "au', willContinue: true }], willContinue: true },
  {
    partialArgs: [{ jsonPath: '$.city', stringValue: 's" 東京 \ud83c', willContinue: true }],
    willContinue: true,
  },
  { partialArgs: [{ jsonPath: '$.city', stringValue: '\udf0a\n', willContinue: true }], willContinue: true },
  { partialArgs: [{ jsonPath: '$.city', stringValue: '' }], willContinue: true },
  {
    partialArgs: [
      { jsonPath: '$.limit', numberValue: 0 },
      { jsonPath: '$.exact', boolValue: true },
    ],
    willContinue: true,
  },
  {
    partialArgs: [
      { jsonPath: '$.none', nullValue: null },
      { jsonPath: '$.rivers[0].name', stringValue: 'Isar' },
    ],
    willContinue: true,
  },
  { partialArgs: [{ jsonPath: "$.rivers[0]['mean level']", numberValue: 1.5 }], willContinue: true },
  { partialArgs: [{ jsonPath: '$["rivers"][1].name', stringValue: 'Inn' }], willContinue: true },
  {
    partialArgs: [
      { jsonPath: '$.rivers[1].tags[0]', stringValue: 'a' },
      { jsonPath: '$.rivers[1].tags[1]', stringValue: 'b' },
    ],
    willContinue: true,
  },
  { partialArgs: [{ jsonPath: "$['o\\'clock.x']", stringValue: 'now' }], willContinue: true },
  {},
];

function framesOf(calls: readonly object[], finishReason = 'STOP'): Uint8Array {
  const parts: object[] = calls.map((functionCall) => ({ functionCall }));
  parts[0] = { ...parts[0], thoughtSignature: 'Y2FsbA==' };
  const frames = parts.map((part, at) => ({
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        index: 0,
        ...(at === parts.length - 1 && { finishReason }),
      },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: at },
    modelVersion: 'gemini-3-pro',
    responseId: 'r1',
  }));
  const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join('');
  return Buffer.from(text.replace('"numberValue":0', '"numberValue":12345678901234567'));
}

const streamOf = (calls: readonly object[], finishReason?: string) =>
  ({ wire: gemini, framing: 'sse', bytes: framesOf(calls, finishReason) }) as const;

test('arguments in pieces are forwarded as they arrive, and are complete wherever the stream is split', () => {
  const stream = streamOf([...pieces, { name: 'list', args: {} }]);
  const { answer, events, finished } = replay(stream);
  assert.deepEqual(replay(stream, [...stream.bytes.keys()]), { answer, events, finished, error: undefined });
  const inputs = answer?.content.flatMap((block) => (block.type === 'tool_use' ? block.input : []));
  assert.deepEqual([finished, answer?.stop_reason], [true, 'tool_use']);
  assert.equal(JSON.stringify(inputs), `[${exactArgs},{}]`);
  const deltas = events.flatMap((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'input_json_delta'
      ? event.delta.partial_json
      : [],
  );
  assert.deepEqual(deltas.slice(0, 3), ['{"city":"Grüße \\"au', 's\\" 東京 \\ud83c', '\\udf0a\\n']);
  assert.equal(replay({ ...streamOf(pieces), interest: 'milestones' }).answer?.stop_reason, 'tool_use');
});

test('every format tells them to its clients', () => {
  const { events } = replay(streamOf(pieces));
  for (const wire of wireFormats) {
    const encoder = wire.replyEncoder(
      'sse',
      clientRequestFrom(wire, { model: 'm', messages: [], contents: [] }),
    );
    const bytes = [...events.flatMap((event) => encoder.push(event) ?? []), encoder.end() ?? Buffer.of()];
    const { answer } = replay({ wire, framing: 'sse', bytes: Buffer.concat(bytes) });
    const inputs = answer?.content.flatMap((block) => (block.type === 'tool_use' ? block.input : []));
    assert.equal(JSON.stringify(inputs), `[${exactArgs}]`, wire.name);
  }
});

test('a call that the limit cut off is not made to look whole', () => {
  const { answer } = replay(streamOf(pieces.slice(0, 3), 'MAX_TOKENS'));
  assert.equal(answer?.stop_reason, 'max_tokens');
  assert.equal(typeof answer?.content.find((block) => block.type === 'tool_use')?.input, 'string');
  // And one whose end was forgotten is.
  const ended = replay(streamOf(pieces.slice(0, 5))).answer?.content.at(-1);
  assert.deepEqual(ended?.type === 'tool_use' && ended.input, { city: args.city });
});

test('pieces that do not fit together are an error, and nothing is made of them', () => {
  for (const [first, second] of [
    ['$.a', '$.a.b'],
    ['$.a.b', '$.a[0]'],
    ['$.a[3]', '$.a[1]'],
    ['$.a[0]', '$.a[999999999]'],
    ['$.a', '$'],
    ['$.a', 'a'],
    ['$.a', '$.b[x]'],
    ['$.a', `$${'.a'.repeat(300)}`],
  ] as const) {
    const partialArgs = [first, second].map((jsonPath) => ({ jsonPath, numberValue: 1 }));
    const { error, events } = replay(streamOf([{ name: 'save', partialArgs, willContinue: true }, {}]));
    assert.equal(error?.status, 502, second);
    assert.equal(events.at(-1)?.type, 'error');
  }
});

test('a conversation with such a call is read as it was meant', () => {
  const parts: JsonObject[] = [{ text: 'So:' }, ...pieces.map((functionCall) => ({ functionCall }))];
  const contents = [
    { role: 'user', parts: [{ text: 'Hello' }] },
    { role: 'model', parts },
    { role: 'user', parts: [{ functionResponse: { name: 'save', response: { output: 'ok' } } }] },
  ];
  const { messages } = gemini.decodeRequest(parseBody(Buffer.from(JSON.stringify({ contents }))), {
    model: 'm',
    stream: false,
  });
  assert.deepEqual(messages[1]?.content, [
    { type: 'text', text: 'So:' },
    { type: 'tool_use', id: 'call_0', name: 'save', input: { ...args, limit: 0 } },
  ]);
});
