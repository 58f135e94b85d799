import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { messagesAnswer, messagesStream, responsesStream } from '../../../test/support/wire/fixtures.ts';
import {
  clientRequestFrom,
  encodeEvents,
  namedFrames,
  replay,
  replayEverywhere,
} from '../../../test/support/wire/replay.ts';
import type { Answer, ReplyEvent } from '../../kernel/message.ts';
import { answerToEvents } from '../../kernel/reply/answer-events.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { createOpenaiResponses } from './openai-responses.ts';

const wire = createOpenaiResponses({ now: () => 7000 });
const asked = clientRequestFrom(wire, {
  model: 'm',
  input: 'hi',
  tools: [{ type: 'custom', name: 'patch' }],
});

function framesOf(text: string): readonly JsonObject[] {
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map((frame) => {
    const data: unknown = JSON.parse(frame[2] ?? '');
    assert.ok(isJsonObject(data) && data.type === frame[1]);
    return data;
  });
}

/** The vendor's own client, fed with these bytes. */
function client(bytes: string): OpenAI {
  const fetch = async () => new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
  return new OpenAI({ apiKey: 'k', maxRetries: 0, fetch });
}

test('a streamed answer reads the same however it is cut', () => {
  const { answer, finished } = replayEverywhere({ wire, framing: 'sse', bytes: responsesStream });
  assert.equal(finished, true);
  assert.deepEqual(answer?.content, [
    { type: 'thinking', thinking: 'Hmm …\n\nweather.', signature: '' },
    {
      type: 'redacted_thinking',
      data: 'weir.sealed.openai-responses:{"id":"rs_1","encrypted_content":"secret"}',
    },
    { type: 'text', text: 'Grüße 🌊 aus 東京' },
    { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Tokyo' } },
    { type: 'tool_use', id: 'call_b', name: 'patch', input: { input: '*** Begin' } },
  ]);
  assert.equal(answer?.stop_reason, 'tool_use');
  assert.deepEqual(answer?.usage, {
    input_tokens: 42,
    cache_read_input_tokens: 100,
    output_tokens: 44,
    output_tokens_details: { thinking_tokens: 9 },
  });
});

test('milestones alone give the same usage and the same end', () => {
  const { events, answer } = replay({ wire, framing: 'sse', bytes: responsesStream, interest: 'milestones' });
  const everything = replay({ wire, framing: 'sse', bytes: responsesStream });
  assert.deepEqual(
    [answer?.usage, answer?.stop_reason],
    [everything.answer?.usage, everything.answer?.stop_reason],
  );
  assert.ok(events.length < everything.events.length);
});

test('an answer that streams no deltas, or no items at all, is still read', () => {
  const item = { type: 'message', content: [{ type: 'output_text', text: 'hello' }] };
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' };
  const response = { id: 'resp_1', model: 'm', status: 'completed' };
  const itemsOnly = namedFrames(
    { type: 'response.created', response },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 1, item: call },
    { type: 'response.completed', response: { ...response, output: [] } },
  );
  const wholeOnly = namedFrames({
    type: 'response.completed',
    response: { ...response, output: [item, call] },
  });
  for (const bytes of [itemsOnly, wholeOnly])
    assert.deepEqual(replay({ wire, framing: 'sse', bytes }).answer?.content, [
      { type: 'text', text: 'hello' },
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    ]);
});

test('how an answer ended is translated', () => {
  const stop = (response: JsonObject) =>
    replay({
      wire,
      framing: 'sse',
      bytes: namedFrames({ type: `response.${response.status}`, response: { output: [], ...response } }),
    }).answer?.stop_reason;
  assert.equal(stop({ status: 'completed' }), 'end_turn');
  assert.equal(
    stop({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    'max_tokens',
  );
  assert.equal(stop({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }), 'refusal');
  const refused = {
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }],
  };
  assert.equal(stop(refused), 'refusal');
});

test('a failure ends the stream, and a stream that merely stops has not ended', () => {
  const failed = namedFrames({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error', message: 'broke' } },
  });
  const error = namedFrames({ type: 'error', code: 'rate_limit_exceeded', message: 'broke', param: null });
  for (const bytes of [failed, error]) {
    const { error: decoded, finished } = replayEverywhere({ wire, framing: 'sse', bytes });
    assert.deepEqual([decoded?.message, finished], ['broke', true]);
  }
  assert.equal(replay({ wire, framing: 'sse', bytes: responsesStream.subarray(0, 900) }).finished, false);
});

test('an unstreamed answer reads whole', () => {
  const body = {
    id: 'resp_1',
    model: 'gpt-5',
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hmm.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'hello' }] },
    ],
    usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 },
  };
  const { answer } = replayEverywhere({ wire, framing: 'json', bytes: Buffer.from(JSON.stringify(body)) });
  assert.deepEqual(answer?.content, [
    { type: 'thinking', thinking: 'Hmm.', signature: '' },
    { type: 'text', text: 'hello' },
  ]);
  assert.deepEqual(answer?.usage, { input_tokens: 6, output_tokens: 3, cache_read_input_tokens: 4 });
});

test('a stream is written with numbered events and exactly one that ends it', () => {
  const { events } = replay({ wire: anthropicMessages, framing: 'sse', bytes: messagesStream });
  const frames = framesOf(encodeEvents(wire.replyEncoder('sse', asked), events));
  assert.deepEqual(
    frames.map((frame) => frame.sequence_number),
    frames.map((_, at) => at),
  );
  const terminal = frames.filter((frame) =>
    /^response\.(completed|incomplete|failed)$/.test(String(frame.type)),
  );
  assert.equal(terminal.length, 1);
  assert.equal(frames.at(-1), terminal[0]);
  assert.deepEqual(
    frames.filter((frame) => frame.type === 'response.output_item.added').map((frame) => frame.output_index),
    [0, 1, 2, 3],
  );
});

test("the vendor's own client puts the same answer together from what is written", async () => {
  const { events } = replay({ wire: anthropicMessages, framing: 'sse', bytes: messagesStream });
  const bytes = encodeEvents(wire.replyEncoder('sse', asked), events);
  const response = await client(bytes).responses.stream({ model: 'm', input: 'hi' }).finalResponse();
  assert.equal(response.output_text, 'Grüße 🌊 aus 東京');
  const calls = response.output.flatMap((item) =>
    item.type === 'function_call' ? [[item.call_id, item.name, item.arguments]] : [],
  );
  assert.deepEqual(calls, [
    ['toolu_1', 'weather', '{"city":"Tokyo","id":12345678901234567890}'],
    ['toolu_2', 'now', '{}'],
  ]);
  assert.equal(response.usage?.total_tokens, 86);
  const [reasoning] = response.output;
  assert.ok(
    reasoning?.type === 'reasoning' && reasoning.encrypted_content === 'weir.sealed.signature:c2lnbmVk',
  );
});

test("an error in the middle makes a failed response, and the vendor's own client sees it", async () => {
  const start = { ...messagesAnswer, content: [] };
  const broken: readonly ReplyEvent[] = [
    { type: 'message_start', message: start },
    { type: 'error', error: { type: 'overloaded_error', message: 'the provider went away' } },
  ];
  const text = encodeEvents(wire.replyEncoder('sse', asked), broken);
  const response = await client(text).responses.stream({ model: 'm', input: 'hi' }).finalResponse();
  assert.deepEqual([response.status, response.error?.message], ['failed', 'the provider went away']);
  const begun =
    encodeEvents(wire.replyEncoder('sse', asked), broken.slice(0, 1)).split('event: response.completed')[0] ??
    '';
  const frame = wire.errorFrame({
    type: 'error',
    error: { type: 'server_error', message: 'the provider went away', code: 'upstream_broken', param: null },
  });
  const stream = client(begun + Buffer.from(frame).toString()).responses.stream({ model: 'm', input: 'hi' });
  await assert.rejects(stream.finalResponse(), /the provider went away/);
});

test('a call of a tool that takes free text is an item of that kind', () => {
  const answer: Answer = {
    ...messagesAnswer,
    content: [{ type: 'tool_use', id: 'call_1', name: 'patch', input: { input: '*** Begin' } }],
  };
  const expected = { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*** Begin' };
  const body = JSON.parse(encodeEvents(wire.replyEncoder('json', asked), answerToEvents(answer)));
  assert.partialDeepStrictEqual(body.output, [expected]);
  const last = framesOf(encodeEvents(wire.replyEncoder('sse', asked), answerToEvents(answer))).at(-1);
  assert.partialDeepStrictEqual(last?.response, { output: [expected] });
});

test('a refusal says so, with its words', () => {
  const explanation = 'I can not help with that.';
  const refused = {
    ...messagesAnswer,
    content: [],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', explanation },
  };
  const expected = {
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
    output: [{ content: [{ type: 'refusal', refusal: explanation }] }],
  };
  assert.partialDeepStrictEqual(
    JSON.parse(encodeEvents(wire.replyEncoder('json', asked), answerToEvents(refused))),
    expected,
  );
  assert.partialDeepStrictEqual(
    framesOf(encodeEvents(wire.replyEncoder('sse', asked), answerToEvents(refused))).at(-1),
    {
      response: expected,
    },
  );
});

test('a refusal in the words of a model of another format is a part of its own, and comes back as one', () => {
  const refused: Answer = {
    ...messagesAnswer,
    content: [{ type: 'text', text: 'I would rather not.', refusal: true }],
    stop_reason: 'refusal',
  };
  for (const framing of ['json', 'sse'] as const) {
    const text = encodeEvents(wire.replyEncoder(framing, asked), answerToEvents(refused));
    const response = framing === 'json' ? JSON.parse(text) : framesOf(text).at(-1)?.response;
    assert.partialDeepStrictEqual(response, {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I would rather not.' }] }],
    });
    const { answer } = replay({ wire, framing, bytes: Buffer.from(text) });
    assert.deepEqual([answer?.content, answer?.stop_reason], [refused.content, 'refusal']);
  }
});

test('what is written reads back as the same answer, in both framings and with every kind of thinking', () => {
  const { events } = replay({ wire, framing: 'sse', bytes: responsesStream });
  const own = replay({ wire, framing: 'sse', bytes: responsesStream }).answer;
  for (const framing of ['json', 'sse'] as const) {
    const bytes = Buffer.from(encodeEvents(wire.replyEncoder(framing, asked), events));
    const { answer } = replay({ wire, framing, bytes });
    // The item gets another name on the way; what its maker encrypted is the same.
    const content = JSON.stringify(answer?.content).replace(/rs_resp_1_\d/, 'rs_1');
    assert.deepEqual(JSON.parse(content), own?.content);
    const signed = Buffer.from(
      encodeEvents(wire.replyEncoder(framing, asked), answerToEvents(messagesAnswer)),
    );
    assert.deepEqual(replay({ wire, framing, bytes: signed }).answer?.content, messagesAnswer.content);
  }
});
