import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interactionsStream } from '../../../test/support/wire/fixtures.ts';
import {
  clientRequestFrom,
  encodeEvents,
  replay,
  replayEverywhere,
} from '../../../test/support/wire/replay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { geminiInteractions as wire } from './gemini-interactions.ts';

const request = clientRequestFrom(wire, { model: 'gemini-3.8-flash', input: 'Hello' });

function readWhole(body: JsonObject) {
  return replay({ wire, framing: 'json', bytes: Buffer.from(JSON.stringify(body)) });
}

function interactionOf(steps: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { id: 'v1_1', model: 'gemini-3.8-flash', status: 'completed', steps, ...more };
}

/** The interaction as it is written after it was read. */
function rewritten(body: JsonObject): JsonObject {
  return JSON.parse(encodeEvents(wire.replyEncoder('json', request), readWhole(body).events));
}

test('a stream is read the same wherever it is cut', () => {
  const { answer, finished } = replayEverywhere({ wire, framing: 'sse', bytes: interactionsStream });
  assert.ok(finished);
  assert.deepEqual(
    answer?.content.map(({ type }) => type),
    ['thinking', 'redacted_thinking', 'text', 'tool_use', 'tool_use'],
  );
  assert.deepEqual(
    [answer?.stop_reason, answer?.usage],
    [
      'tool_use',
      {
        input_tokens: 42,
        output_tokens: 44,
        cache_read_input_tokens: 100,
        output_tokens_details: { thinking_tokens: 9 },
      },
    ],
  );
});

test('an observer of milestones reads the end of a stream and estimates the rest', () => {
  const { events } = replay({ wire, framing: 'sse', bytes: interactionsStream, interest: 'milestones' });
  assert.equal(events.at(-1)?.type, 'message_stop');
  const decoder = wire.replyDecoder('sse', 'milestones');
  decoder.push(interactionsStream);
  assert.ok(decoder.unread.tokens > 5);
});

test('steps and content that only this format has are written back as they came', () => {
  const steps = [
    { type: 'thought', summary: [{ type: 'text', text: 'Hm.' }], signature: 'Z29vZ2xl' },
    { type: 'google_search_call', id: 's1', arguments: { queries: ['rivers'] }, signature: 'c2ln' },
    {
      type: 'google_search_result',
      call_id: 's1',
      result: [{ search_suggestions: '<div>' }],
      signature: 'c2ln',
    },
    {
      type: 'model_output',
      content: [
        {
          type: 'text',
          text: 'The Loire.',
          annotations: [{ type: 'url_citation', url: 'https://a.example', start_index: 0, end_index: 10 }],
        },
      ],
    },
    { type: 'model_output', content: [{ type: 'video', mime_type: 'video/mp4', data: 'dmlkZW8=' }] },
    { type: 'function_call', id: 'c1', name: 'a', arguments: { b: 1 } },
  ];
  assert.deepEqual(rewritten(interactionOf(steps, { status: 'requires_action' })).steps, steps);
});

test('pieces of a step that only this format has are a whole step in the end', () => {
  const frames = [
    { event_type: 'interaction.created', interaction: { id: 'v1_1', status: 'in_progress' } },
    {
      event_type: 'step.start',
      index: 0,
      step: { type: 'google_search_result', call_id: 's1', result: [{ a: 1 }] },
    },
    { event_type: 'step.delta', index: 0, delta: { type: 'google_search_result', result: [{ b: 2 }] } },
    { event_type: 'step.delta', index: 0, delta: { type: 'google_search_result', signature: 'c2ln' } },
    { event_type: 'step.stop', index: 0 },
    { event_type: 'interaction.completed', interaction: { id: 'v1_1', status: 'completed' } },
  ];
  const bytes = Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  const { answer } = replayEverywhere({ wire, framing: 'sse', bytes });
  assert.partialDeepStrictEqual(answer?.content, [
    { type: 'foreign', part: { call_id: 's1', result: [{ a: 1 }, { b: 2 }], signature: 'c2ln' } },
  ]);
});

test('a signature passes through other formats and comes back with its summary', () => {
  const [thinking, signature] =
    replay({ wire, framing: 'sse', bytes: interactionsStream }).answer?.content ?? [];
  assert.ok(thinking !== undefined && signature !== undefined);
  const encode = (model: string) =>
    JSON.parse(
      Buffer.from(
        wire.encodeRequest({
          model,
          messages: [
            { role: 'user', content: 'Hello' },
            { role: 'assistant', content: [thinking, signature, { type: 'text', text: 'Hi.' }] },
            { role: 'user', content: 'And?' },
          ],
        }).body,
      ).toString(),
    ).input;
  const said = { type: 'model_output', content: [{ type: 'text', text: 'Hi.' }] };
  assert.deepEqual(encode('gemini-omni-1.1-flash').slice(1, -1), [
    { type: 'thought', summary: [{ type: 'text', text: 'Hmm … weather.' }], signature: 'c2lnbmF0dXJl' },
    said,
  ]);
  assert.deepEqual(encode('gemini-3.8-flash').slice(1, -1), [said]);
});

test('an interaction that failed is an error with what it cost', () => {
  const usage = { total_input_tokens: 7, total_output_tokens: 0, total_thought_tokens: 3 };
  for (const [more, error] of [
    [{ errors: [{ code: 'rate_limit_exceeded', message: 'Slow.' }] }, { status: 429, message: 'Slow.' }],
    [
      { steps: [{ type: 'model_output', error: { code: 13, message: 'Broken.' } }] },
      { status: 500, message: 'Broken.' },
    ],
    [{}, { status: 502, message: 'the interaction ended as failed' }],
  ] as const) {
    const { events } = readWhole(interactionOf([], { status: 'failed', usage, ...more }));
    assert.partialDeepStrictEqual(events, [
      { type: 'error', error, usage: { input_tokens: 7, output_tokens: 3 } },
    ]);
  }
});

test('the status tells why an interaction ended', () => {
  const stopOf = (status: string, more: JsonObject = {}) =>
    readWhole(interactionOf([], { status, ...more })).answer?.stop_reason;
  assert.deepEqual(
    ['completed', 'incomplete', 'budget_exceeded', 'requires_continuation', 'in_progress', 'queued'].map(
      (one) => stopOf(one),
    ),
    ['end_turn', 'max_tokens', 'max_tokens', 'max_tokens', null, null],
  );
  const refused = { errors: [{ code: 'content_blocked', message: 'No.' }] };
  assert.equal(stopOf('incomplete', refused), 'refusal');
  assert.deepEqual(rewritten(interactionOf([], { status: 'incomplete', ...refused })).errors, refused.errors);
});

test('usage has sound, searches and the service tier in it', () => {
  const usage = {
    total_input_tokens: 100,
    total_tool_use_tokens: 20,
    total_output_tokens: 50,
    input_tokens_by_modality: [
      { modality: 'text', tokens: 40 },
      { modality: 'audio', tokens: 60 },
    ],
    output_tokens_by_modality: [{ modality: 'audio', tokens: 50 }],
    grounding_tool_count: [{ type: 'google_search', count: 3 }],
  };
  assert.deepEqual(readWhole(interactionOf([], { usage, service_tier: 'flex' })).answer?.usage, {
    input_tokens: 120,
    output_tokens: 50,
    input_audio_tokens: 60,
    output_audio_tokens: 50,
    server_tool_use: { web_search_requests: 3 },
    service_tier: 'flex',
  });
});
