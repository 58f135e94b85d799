import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import {
  chatCompletion,
  chatStream,
  messagesAnswer,
  messagesStream,
} from '../../../test/support/wire/fixtures.ts';
import {
  clientRequestFrom,
  dataFrames,
  encodeEvents,
  replay,
  replayEverywhere,
} from '../../../test/support/wire/replay.ts';
import type { Answer } from '../../kernel/message.ts';
import { answerToEvents } from '../../kernel/reply/answer-events.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { createOpenaiChat } from './openai-chat.ts';

const wire = createOpenaiChat({ now: () => 7000 });
const asked = clientRequestFrom(wire, { model: 'm', messages: [], stream_options: { include_usage: true } });
const usage = {
  input_tokens: 12,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 30,
  output_tokens: 44,
  output_tokens_details: { thinking_tokens: 9 },
};

/** The vendor's own client, fed with these bytes. */
function client(bytes: string): OpenAI {
  const fetch = async () => new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
  return new OpenAI({ apiKey: 'k', maxRetries: 0, fetch });
}

function chunksOf(text: string): readonly JsonObject[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map((line) => JSON.parse(line[1] ?? ''));
}

test('a streamed answer reads the same however it is cut, with parallel calls kept apart', () => {
  const { answer, finished, events } = replayEverywhere({ wire, framing: 'sse', bytes: chatStream });
  assert.equal(finished, true);
  assert.deepEqual(answer?.content.slice(0, 2), [
    { type: 'thinking', thinking: 'Hmm … weather.', signature: '' },
    { type: 'text', text: 'Grüße 🌊 aus 東京' },
  ]);
  assert.deepEqual(
    answer?.content.slice(2).map((block) => (block.type === 'tool_use' ? [block.id, block.name] : [])),
    [
      ['call_a', 'weather'],
      ['call_b', 'now'],
    ],
  );
  assert.deepEqual(answer?.usage, usage);
  assert.equal(answer?.stop_reason, 'tool_use');
  const opened = events.flatMap((event) => (event.type === 'content_block_start' ? [event.index] : []));
  const closed = events.flatMap((event) => (event.type === 'content_block_stop' ? [event.index] : []));
  assert.deepEqual(opened, [0, 1, 2, 3]);
  assert.deepEqual(closed.toSorted(), opened);
});

test('milestones alone give the same usage and the same end', () => {
  const { events, answer, finished } = replay({
    wire,
    framing: 'sse',
    bytes: chatStream,
    interest: 'milestones',
  });
  assert.deepEqual([answer?.usage, answer?.stop_reason, finished], [usage, 'tool_use', true]);
  assert.deepEqual(
    events.map((event) => event.type),
    [
      'message_start',
      'content_block_start',
      'content_block_delta',
      ...['content_block_stop', 'content_block_start', 'content_block_start', 'content_block_delta'],
      ...['content_block_stop', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ],
  );
});

test('calls that share an index, have none, or never get an id are still calls of their own', () => {
  const call = (fields: JsonObject, finish: string | null = null) => ({
    choices: [{ index: 0, delta: { tool_calls: [fields] }, finish_reason: finish }],
  });
  const names = (...frames: readonly JsonObject[]) => {
    const { answer } = replay({ wire, framing: 'sse', bytes: dataFrames(...frames, '[DONE]') });
    return answer?.content.map((block) =>
      block.type === 'tool_use' ? [block.id, block.name, block.input] : [],
    );
  };
  const one = { id: 'a', function: { name: 'f', arguments: '{}' } };
  const two = { id: 'b', function: { name: 'f', arguments: '{"x":1}' } };
  const both = [
    ['a', 'f', {}],
    ['b', 'f', { x: 1 }],
  ];
  assert.deepEqual(names(call({ index: 0, ...one }), call({ index: 0, ...two })), both);
  assert.deepEqual(names(call(one), call(two)), both);
  assert.deepEqual(
    names(
      call({ index: 0, id: 'a', function: { name: 'f' } }),
      call({ index: 0, id: 'a', function: { arguments: '{}' } }),
    ),
    both.slice(0, 1),
  );
  assert.deepEqual(names(call({ index: 0, function: { name: 'f', arguments: '{}' } })), [
    ['call__0', 'f', {}],
  ]);
});

test('arguments of null are no arguments', () => {
  const call = { index: 0, id: 'a', function: { name: 'f', arguments: 'null' } };
  const streamed = dataFrames(
    { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] },
    '[DONE]',
  );
  const whole = Buffer.from(
    JSON.stringify({ choices: [{ index: 0, message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }),
  );
  for (const { answer } of [
    replay({ wire, framing: 'sse', bytes: streamed }),
    replay({ wire, framing: 'json', bytes: whole }),
  ])
    assert.deepEqual(answer?.content, [{ type: 'tool_use', id: 'a', name: 'f', input: {} }]);
});

test('the reason for stopping is translated, and a call for tools is one whatever the provider says', () => {
  const stop = (finish_reason: string, delta: JsonObject = { content: 'x' }) =>
    replay({
      wire,
      framing: 'sse',
      bytes: dataFrames({ choices: [{ index: 0, delta, finish_reason }] }, '[DONE]'),
    }).answer?.stop_reason;
  assert.equal(stop('stop'), 'end_turn');
  assert.equal(stop('length'), 'max_tokens');
  assert.equal(stop('content_filter'), 'refusal');
  assert.equal(
    stop('stop', { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] }),
    'tool_use',
  );
  assert.equal(stop('stop', { refusal: 'No.' }), 'refusal');
});

test('a stream is over once it says why it stopped, even if [DONE] never comes, and not before', () => {
  const text = { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] };
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  assert.equal(replay({ wire, framing: 'sse', bytes: dataFrames(text) }).finished, false);
  const { finished, events } = replay({ wire, framing: 'sse', bytes: dataFrames(text, last) });
  assert.deepEqual([finished, events.at(-1)], [true, { type: 'message_stop' }]);
});

test('reasoning that stands in details alone is read like any other', () => {
  const detail = (text: string) => ({
    type: 'reasoning.text',
    format: 'anthropic-claude-v1',
    index: 0,
    text,
  });
  const stream = dataFrames(
    { choices: [{ delta: { content: '', reasoning_details: [detail('15')] } }] },
    { choices: [{ delta: { content: '', reasoning_details: [detail(' × 27')] } }] },
    { choices: [{ delta: { content: '405' }, finish_reason: 'stop' }] },
    '[DONE]',
  );
  const message = { role: 'assistant', content: '405', reasoning_details: [detail('15 × 27')] };
  const whole = Buffer.from(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }));
  for (const read of [
    replayEverywhere({ wire, framing: 'sse', bytes: stream }),
    replay({ wire, framing: 'json', bytes: whole }),
  ])
    assert.deepEqual(read.answer?.content, [
      { type: 'thinking', thinking: '15 × 27', signature: '' },
      { type: 'text', text: '405' },
    ]);
});

test('an error in the stream ends it', () => {
  const bytes = dataFrames({ error: { message: 'Overloaded', type: 'server_error', code: 503 } });
  const { error, finished } = replayEverywhere({ wire, framing: 'sse', bytes });
  assert.deepEqual([error?.type, error?.message, finished], ['server_error', 'Overloaded', true]);
});

test('usage in the places where other providers put it', () => {
  const usageOf = (fields: JsonObject) =>
    replay({
      wire,
      framing: 'sse',
      bytes: dataFrames(
        { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }], ...fields },
        '[DONE]',
      ),
    }).answer?.usage;
  assert.deepEqual(
    usageOf({ usage: { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 4 } }),
    {
      input_tokens: 6,
      output_tokens: 2,
      cache_read_input_tokens: 4,
    },
  );
  assert.deepEqual(usageOf({ x_groq: { usage: { prompt_tokens: 10, completion_tokens: 2 } } }), {
    input_tokens: 10,
    output_tokens: 2,
  });
  const apart = {
    prompt_tokens: 10,
    completion_tokens: 2,
    total_tokens: 17,
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  assert.equal(usageOf({ usage: apart })?.output_tokens, 7, 'reasoning that was counted apart is output too');
  assert.deepEqual(usageOf({}), {}, 'no usage is not a usage of 0');
});

test('an unstreamed answer reads whole, and its errors are seen', () => {
  const { answer } = replayEverywhere({
    wire,
    framing: 'json',
    bytes: Buffer.from(JSON.stringify(chatCompletion)),
  });
  assert.deepEqual(answer, {
    id: 'chatcmpl-2',
    type: 'message',
    role: 'assistant',
    model: 'gpt-5',
    content: [
      { type: 'thinking', thinking: 'Hmm.', signature: '' },
      { type: 'text', text: 'Grüße 🌊' },
      { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Tokyo' } },
      { type: 'tool_use', id: 'call_b', name: 'now', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage,
  });
  const refused = {
    ...chatCompletion,
    choices: [
      { index: 0, message: { role: 'assistant', content: null, refusal: 'No.' }, finish_reason: 'stop' },
    ],
  };
  const no = replay({ wire, framing: 'json', bytes: Buffer.from(JSON.stringify(refused)) }).answer;
  assert.deepEqual(
    [no?.content, no?.stop_reason, no?.stop_details?.explanation],
    [[{ type: 'text', text: 'No.', refusal: true }], 'refusal', 'No.'],
  );
  const error = replay({ wire, framing: 'json', bytes: Buffer.from('{"error":{"message":"no"}}') });
  assert.equal(error.error?.message, 'no');
});

test('a stream is written as the vendor writes it', () => {
  const { events } = replay({ wire: anthropicMessages, framing: 'sse', bytes: messagesStream });
  const text = encodeEvents(wire.replyEncoder('sse', asked), events);
  assert.ok(text.endsWith('data: [DONE]\n\n'));
  const chunks = chunksOf(text);
  const deltas = chunks.flatMap((chunk) => (Array.isArray(chunk.choices) ? chunk.choices : []));
  assert.deepEqual(deltas[0].delta, { role: 'assistant', content: '', refusal: null });
  assert.ok(
    deltas.every((choice) => (choice.finish_reason === null) === Object.keys(choice.delta).length > 0),
  );
  const calls = deltas.flatMap((choice) => choice.delta.tool_calls ?? []);
  assert.deepEqual(
    calls.filter((call) => call.id !== undefined).map((call) => [call.index, call.id, call.function.name]),
    [
      [0, 'toolu_1', 'weather'],
      [1, 'toolu_2', 'now'],
    ],
  );
  assert.deepEqual(chunks.at(-1), {
    id: 'msg_1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'claude-opus-4-8',
    choices: [],
    usage: {
      prompt_tokens: 42,
      completion_tokens: 44,
      total_tokens: 86,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
  assert.ok(chunks.slice(0, -1).every((chunk) => chunk.usage === null));
});

test('only a client that asks for usage gets it', () => {
  const plain = clientRequestFrom(wire, { model: 'm', messages: [] });
  assert.doesNotMatch(encodeEvents(wire.replyEncoder('sse', plain), answerToEvents(messagesAnswer)), /usage/);
});

test("the vendor's own client puts the same answer together from what is written", async () => {
  const { events } = replay({ wire: anthropicMessages, framing: 'sse', bytes: messagesStream });
  const bytes = encodeEvents(wire.replyEncoder('sse', asked), events);
  const stream = client(bytes).chat.completions.stream({ model: 'm', messages: [] });
  const { choices, usage: written } = await stream.finalChatCompletion();
  assert.equal(choices[0]?.message.content, 'Grüße 🌊 aus 東京');
  assert.equal(choices[0]?.finish_reason, 'tool_calls');
  const calls = choices[0]?.message.tool_calls?.map((call) =>
    call.type === 'function' ? [call.id, call.function.name, call.function.arguments] : [],
  );
  assert.deepEqual(calls, [
    ['toolu_1', 'weather', '{"city":"Tokyo","id":12345678901234567890}'],
    ['toolu_2', 'now', '{}'],
  ]);
  assert.equal(written?.total_tokens, 86);
});

test("an error in the middle of a stream makes the vendor's own client throw it", async () => {
  const envelope = {
    type: 'error',
    error: { type: 'server_error', message: 'the provider went away', code: 'upstream_broken', param: null },
  };
  const frame = Buffer.from(wire.errorFrame(envelope)).toString();
  const fromEvent = encodeEvents(wire.replyEncoder('sse', asked), [
    { type: 'error', error: { type: 'overloaded_error', message: 'the provider went away' } },
  ]);
  for (const ending of [frame, fromEvent]) {
    const stream = await client(`data: {"choices":[]}\n\n${ending}`).chat.completions.create({
      model: 'm',
      messages: [],
      stream: true,
    });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, /the provider went away/);
  }
});

test('signed thinking goes out with its signature and comes back whole', () => {
  for (const framing of ['json', 'sse'] as const) {
    const bytes = Buffer.from(
      encodeEvents(wire.replyEncoder(framing, asked), answerToEvents(messagesAnswer)),
    );
    const { answer } = replay({ wire, framing, bytes });
    assert.deepEqual(answer, {
      ...messagesAnswer,
      usage: { ...messagesAnswer.usage, output_tokens_details: { thinking_tokens: 0 } },
    });
  }
});

test('a refusal says so, with its words', () => {
  const explanation = 'I can not help with that.';
  const refused = {
    ...messagesAnswer,
    content: [],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', explanation },
  };
  const completion = JSON.parse(encodeEvents(wire.replyEncoder('json', asked), answerToEvents(refused)));
  assert.deepEqual(
    [
      completion.choices[0].finish_reason,
      completion.choices[0].message.refusal,
      completion.choices[0].message.content,
    ],
    ['content_filter', explanation, null],
  );
  assert.match(
    encodeEvents(wire.replyEncoder('sse', asked), answerToEvents(refused)),
    /"refusal":"I can not help with that\."/,
  );
});

test('a refusal in the words of a model of another format is one here too, and none for Anthropic', async () => {
  const refused: Answer = {
    ...messagesAnswer,
    content: [{ type: 'text', text: 'I would rather not.', refusal: true }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', explanation: 'I would rather not.' },
  };
  const text = encodeEvents(wire.replyEncoder('sse', asked), answerToEvents(refused));
  const schema = { name: 'fact', schema: { type: 'object' } };
  const streamed = await client(text)
    .chat.completions.stream({
      model: 'm',
      messages: [],
      response_format: { type: 'json_schema', json_schema: schema },
    })
    .finalChatCompletion();
  const whole = JSON.parse(encodeEvents(wire.replyEncoder('json', asked), answerToEvents(refused)));
  for (const { choices } of [streamed, whole]) {
    const { finish_reason, message } = choices[0];
    assert.deepEqual(
      [finish_reason, message.content || null, message.refusal],
      ['stop', null, 'I would rather not.'],
    );
  }
  for (const framing of ['json', 'sse'] as const) {
    const bytes = Buffer.from(encodeEvents(wire.replyEncoder(framing, asked), answerToEvents(refused)));
    const { answer } = replay({ wire, framing, bytes });
    assert.deepEqual([answer?.content, answer?.stop_reason], [refused.content, 'refusal']);
    const plain = encodeEvents(anthropicMessages.replyEncoder(framing, asked), answerToEvents(refused));
    assert.doesNotMatch(plain, /"refusal":true/);
  }
});

test('pages that were cited become annotations', () => {
  const { events } = replay({ wire: anthropicMessages, framing: 'sse', bytes: messagesStream });
  const expected = {
    type: 'url_citation',
    url_citation: { start_index: 0, end_index: 15, title: 'A', url: 'https://a.example' },
  };
  const completion = JSON.parse(encodeEvents(wire.replyEncoder('json', asked), events));
  assert.deepEqual(completion.choices[0].message.annotations, [expected]);
  assert.ok(
    encodeEvents(wire.replyEncoder('sse', asked), events).includes(
      JSON.stringify({ annotations: [expected] }),
    ),
  );
});

test('a thousand small deltas in one chunk all arrive, and so do 4 MiB of arguments', () => {
  const small = Array.from({ length: 1000 }, () => ({
    choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }],
  }));
  const many = replay({ wire, framing: 'sse', bytes: dataFrames(...small, '[DONE]') });
  assert.deepEqual(many.answer?.content, [{ type: 'text', text: 'x'.repeat(1000) }]);
  const json = JSON.stringify({ text: 'y'.repeat(4 * 1024 * 1024) });
  const call = {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: json } }] },
        finish_reason: 'tool_calls',
      },
    ],
  };
  const { answer } = replay({ wire, framing: 'sse', bytes: dataFrames(call, '[DONE]') });
  assert.deepEqual(answer?.content, [{ type: 'tool_use', id: 'a', name: 'f', input: JSON.parse(json) }]);
});

test('errors have the names of this dialect', () => {
  const names = [400, 401, 402, 403, 404, 429, 500, 529].map((status) => wire.errorType(status, 'internal'));
  assert.deepEqual(names, [
    'invalid_request_error',
    'invalid_request_error',
    'insufficient_quota',
    'invalid_request_error',
    'invalid_request_error',
    'rate_limit_error',
    'server_error',
    'server_error',
  ]);
});
