import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesAnswer, messagesStream } from '../../../test/support/wire/fixtures.ts';
import {
  clientRequestFrom,
  encodeEvents,
  namedFrames,
  replay,
  replayEverywhere,
} from '../../../test/support/wire/replay.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Block, ChatRequest, Message, ToolChoice } from '../../kernel/message.ts';
import { answerToEvents } from '../../kernel/reply/answer-events.ts';
import { anthropicMessages as wire } from './anthropic-messages.ts';

const asked = clientRequestFrom(wire, { model: 'm', messages: [] });

function bodyOf(request: ChatRequest) {
  const { body, dropped } = wire.encodeRequest(request);
  return { body: JSON.parse(Buffer.from(body).toString()), dropped };
}

const hello: ChatRequest = {
  model: 'claude-opus-4-8',
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: 5,
};

test('a request is its own canonical shape, with every field it came with', () => {
  const body = {
    ...hello,
    novelty: { a: 1 },
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
  };
  assert.equal(wire.decodeRequest(body), body);
});

test('a request that is no conversation is refused with the place where it goes wrong', () => {
  const refused = (body: Record<string, unknown>) => {
    try {
      wire.decodeRequest(body);
    } catch (error) {
      if (GatewayError.is(error)) return [error.code, error.details.param];
    }
    return undefined;
  };
  const messages = hello.messages;
  assert.deepEqual(refused({ messages }), ['invalid_request', 'model']);
  assert.deepEqual(refused({ model: 'm' }), ['invalid_request', 'messages']);
  assert.deepEqual(refused({ model: 'm', messages: [] }), ['invalid_request', 'messages']);
  assert.deepEqual(refused({ model: 'm', messages: ['hi'] }), ['invalid_request', 'messages.0']);
  assert.deepEqual(refused({ model: 'm', messages: [{ content: 'hi' }] }), [
    'invalid_request',
    'messages.0.role',
  ]);
  assert.deepEqual(refused({ model: 'm', messages: [{ role: 'user' }] }), [
    'invalid_request',
    'messages.0.content',
  ]);
  assert.deepEqual(refused({ model: 'm', messages: [{ role: 'user', content: ['x'] }] }), [
    'invalid_request',
    'messages.0.content.0',
  ]);
  assert.deepEqual(refused({ model: 'm', messages, max_tokens: -1 }), ['invalid_request', 'max_tokens']);
  assert.deepEqual(refused({ model: 'm', messages, max_tokens: 1.5 }), ['invalid_request', 'max_tokens']);
});

test('a changed request in the same format keeps every other byte of the client, big integers and odd spacing included', () => {
  const text =
    '{ "model":"a",\n"big": 12345678901234567890, "max_tokens" : 5, "messages":[{"role":"user","content":"h\\u0069"}], "x":1.0 }';
  const from = clientRequestFrom(wire, text);
  const { body } = wire.encodeRequest({ ...from.request, model: 'b', temperature: 0.5 }, from);
  const expected = text
    .replace('"model":"a"', '"model":"b"')
    .replace('"x":1.0 }', '"x":1.0 ,"temperature":0.5}');
  assert.equal(Buffer.from(body).toString(), expected);
  const { temperature: _, max_tokens: __, ...less } = { temperature: 1, ...from.request };
  assert.doesNotMatch(Buffer.from(wire.encodeRequest(less, from).body).toString(), /max_tokens/);
});

test('an unchanged request in the same format is the bytes it came as', () => {
  const text = '{"model":"a","messages":[{"role":"user","content":"hi"}]}';
  const from = clientRequestFrom(wire, text);
  assert.equal(wire.encodeRequest(from.request, from).body, from.bytes);
});

test('fields of another format are left out and listed, or refused where the answer would be another', () => {
  const { body, dropped } = bodyOf({ ...hello, extensions: { other: { seed: 7 } } });
  assert.deepEqual(dropped, ['seed']);
  assert.equal('extensions' in body, false);
  assert.throws(
    () => wire.encodeRequest({ ...hello, extensions: { 'other!': { n: 2 } } }),
    (error) => GatewayError.is(error) && error.code === 'format_not_supported' && error.details.param === 'n',
  );
});

test('a limit is set where the other format needs none', () => {
  const { max_tokens: _, ...unlimited } = hello;
  assert.equal(bodyOf(unlimited).body.max_tokens, 8192);
});

test('effort becomes the thinking that the generation of the model knows', () => {
  const think = (model: string, more: Partial<ChatRequest> = {}) => {
    const { max_tokens: _, ...request } = { ...hello, model, output_config: { effort: 'medium' }, ...more };
    const { body, dropped } = bodyOf({ ...request, ...more });
    return [body.thinking, body.output_config, body.max_tokens, dropped];
  };
  assert.deepEqual(think('claude-opus-4-8'), [{ type: 'adaptive' }, { effort: 'medium' }, 8192, []]);
  assert.deepEqual(think('claude-sonnet-4-5-20250929'), [
    { type: 'enabled', budget_tokens: 8192 },
    undefined,
    16384,
    [],
  ]);
  assert.deepEqual(think('claude-3-5-haiku-20241022'), [
    undefined,
    undefined,
    8192,
    ['output_config.effort'],
  ]);
  assert.deepEqual(think('claude-sonnet-4-5', { max_tokens: 2000 }), [
    { type: 'enabled', budget_tokens: 1999 },
    undefined,
    2000,
    [],
  ]);
  assert.deepEqual(think('claude-sonnet-4-5', { max_tokens: 900 }), [
    undefined,
    undefined,
    900,
    ['output_config.effort'],
  ]);
  assert.deepEqual(think('claude-sonnet-4-5', { tool_choice: { type: 'any' } })[0], undefined);
  assert.deepEqual(think('claude-opus-4-6', { output_config: { effort: 'xhigh' } })[1], { effort: 'high' });
  assert.deepEqual(think('claude-opus-4-6', { output_config: { effort: 'none' } }).slice(0, 2), [
    { type: 'disabled' },
    undefined,
  ]);
});

test('a tool that a model can’t be forced to use is left to its choice, and that is told', () => {
  const tools = [{ name: 'save', input_schema: { type: 'object' } }];
  const chosen = (model: string, tool_choice: ToolChoice) => {
    const { body, dropped } = bodyOf({ ...hello, model, tools, tool_choice });
    return [body.tool_choice, dropped];
  };
  const forced = { type: 'tool', name: 'save', disable_parallel_tool_use: true } as const;
  for (const model of ['claude-fable-5-2', 'claude-opus-5-5', 'claude-sonnet-5-5']) {
    assert.deepEqual(chosen(model, { type: 'any' }), [{ type: 'auto' }, ['tool_choice']]);
    assert.deepEqual(chosen(model, forced), [
      { type: 'auto', disable_parallel_tool_use: true },
      ['tool_choice'],
    ]);
    assert.deepEqual(chosen(model, { type: 'none' }), [{ type: 'none' }, []]);
  }
  for (const model of ['claude-opus-5', 'claude-haiku-5-5'])
    assert.deepEqual(chosen(model, forced), [forced, []]);
});

test('sampling is kept within what the model takes', () => {
  assert.equal(bodyOf({ ...hello, model: 'claude-sonnet-4-5', temperature: 1.7 }).body.temperature, 1);
  const { body, dropped } = bodyOf({ ...hello, temperature: 0.2, top_p: 0.5 });
  assert.deepEqual([body.temperature, body.top_p, dropped], [undefined, undefined, ['temperature', 'top_p']]);
});

test('only what the provider can verify goes back to it as thinking', () => {
  const { body, dropped } = bodyOf({
    ...hello,
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'foreign' },
          { type: 'thinking', thinking: '', signature: 'real' },
          { type: 'text', text: '' },
          { type: 'tool_use', id: 'functions.now:0', name: 'now', input: 'no json' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.now:0', content: [] }] },
    ],
  });
  assert.deepEqual(dropped, ['messages[].content[].thinking']);
  assert.deepEqual(body.messages[1].content, [
    { type: 'thinking', thinking: '', signature: 'real' },
    { type: 'tool_use', id: 'functions_now_0', name: 'now', input: { value: 'no json' } },
  ]);
  assert.equal(body.messages[2].content[0].tool_use_id, 'functions_now_0');
});

test('what was said before the results of calls, or between them, comes behind them', () => {
  const called = (...ids: readonly string[]): Message => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'now', input: {} })),
  });
  const result = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: 'noon' });
  const hurry: Block = { type: 'text', text: 'Hurry.' };
  const messagesOf = (...answers: readonly Message[]) =>
    bodyOf({ ...hello, messages: [{ role: 'user', content: 'hi' }, called('a', 'b'), ...answers] }).body
      .messages;
  const expected = { role: 'user', content: [result('a'), result('b'), hurry] };
  for (const answers of [
    [{ role: 'user', content: [result('a'), result('b'), hurry] }],
    [{ role: 'user', content: [hurry, result('a'), result('b')] }],
    [{ role: 'user', content: [result('a'), hurry, result('b')] }],
    [
      { role: 'user', content: 'Hurry.' },
      { role: 'user', content: [result('a'), result('b')] },
    ],
    [
      { role: 'user', content: [result('a')] },
      { role: 'user', content: 'Hurry.' },
      { role: 'user', content: [result('b')] },
    ],
  ] satisfies readonly (readonly Message[])[])
    assert.deepEqual(messagesOf(...answers).slice(2), [expected]);
  const later: Message = { role: 'user', content: 'And then?' };
  assert.deepEqual(messagesOf({ role: 'user', content: [result('a'), result('b')] }, later)[3], later);
});

test('a schema is brought into the form that the provider can hold a model to', () => {
  const schema = {
    $schema: 'x',
    type: 'object',
    properties: {
      age: { type: 'integer', description: 'In years.', minimum: 0 },
      mail: { type: 'string', format: 'email' },
      tags: {
        type: 'array',
        items: { oneOf: [{ type: 'string', pattern: 'a+' }, { type: 'null' }] },
        minItems: 1,
      },
      minimum: { $ref: '#/$defs/D' },
    },
    required: ['age'],
    $defs: { D: { type: 'object', properties: {}, additionalProperties: true } },
  };
  const { body } = bodyOf({
    ...hello,
    output_config: { format: { type: 'json_schema', name: 'R', strict: true, schema } },
  });
  assert.deepEqual(body.output_config, {
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: {
          age: { type: 'integer', description: 'In years.\n\n{minimum: 0}' },
          mail: { type: 'string', format: 'email' },
          tags: {
            type: 'array',
            items: { anyOf: [{ type: 'string', description: '{pattern: "a+"}' }, { type: 'null' }] },
            minItems: 1,
          },
          minimum: { $ref: '#/$defs/D' },
        },
        required: ['age'],
        $defs: { D: { type: 'object', properties: {}, additionalProperties: false } },
        additionalProperties: false,
      },
    },
  });
  assert.deepEqual(bodyOf({ ...hello, output_config: { format: { type: 'json_object' } } }).dropped, [
    'output_config.format',
  ]);
});

test('instructions alone are the first turn, and a system message goes where the model takes it', () => {
  const alone = bodyOf({ ...hello, system: 'Write.', messages: [] }).body;
  assert.deepEqual([alone.system, alone.messages], [undefined, [{ role: 'user', content: 'Write.' }]]);
  const messages: ChatRequest['messages'] = [...hello.messages, { role: 'system', content: 'Now.' }];
  assert.equal(bodyOf({ ...hello, messages }).body.messages[1].role, 'system');
  const older = bodyOf({ ...hello, model: 'claude-sonnet-4-5', messages });
  assert.deepEqual([older.body.messages[1].role, older.dropped], ['user', ['messages[].system']]);
});

test('models of other makers that are served in this format are not taken for a Claude', () => {
  const { body, dropped } = bodyOf({
    ...hello,
    model: 'kimi-k3',
    temperature: 0.3,
    output_config: { effort: 'low' },
    max_tokens: 9000,
  });
  assert.deepEqual([body.thinking, dropped], [{ type: 'enabled', budget_tokens: 2048 }, ['temperature']]);
  assert.equal(bodyOf({ ...hello, model: 'kimi-k3', temperature: 0.3 }).body.temperature, 0.3);
});

test('a streamed answer reads the same however it is cut', () => {
  const { answer, finished } = replayEverywhere({ wire, framing: 'sse', bytes: messagesStream });
  assert.equal(finished, true);
  assert.equal(answer?.stop_reason, 'tool_use', 'a later usage-only delta does not clear the stop reason');
  assert.deepEqual(answer?.usage, {
    input_tokens: 12,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    output_tokens: 44,
  });
  assert.deepEqual(answer?.content[0], {
    type: 'thinking',
    thinking: 'Hmm … weather.',
    signature: 'c2lnbmVk',
  });
});

test('one who wants milestones only is spared the rest', () => {
  const { events, answer } = replay({ wire, framing: 'sse', bytes: messagesStream, interest: 'milestones' });
  const everything = replay({ wire, framing: 'sse', bytes: messagesStream });
  assert.deepEqual(answer?.usage, everything.answer?.usage);
  assert.deepEqual(
    events.map((event) => event.type),
    [
      'message_start',
      'content_block_start',
      'content_block_delta',
      // Two tools.
      'content_block_start',
      'content_block_start',
      'message_delta',
      'message_delta',
      'message_stop',
    ],
  );
});

test('an unknown kind of block or event is passed on', () => {
  const novel = namedFrames(
    { type: 'content_block_start', index: 0, content_block: { type: 'novel', x: 1 } },
    { type: 'newer', y: 2 },
  );
  const { events } = replay({ wire, framing: 'sse', bytes: novel });
  assert.equal(encodeEvents(wire.replyEncoder('sse', asked), events), Buffer.from(novel).toString());
});

test('an error in a stream ends it, and a stream that merely stops has not ended', () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  const failed = replayEverywhere({ wire, framing: 'sse', bytes: namedFrames({ type: 'error', error }) });
  assert.deepEqual([failed.error, failed.finished], [{ ...error, status: 529 }, true]);
  const cut = messagesStream.subarray(0, messagesStream.length - 60);
  assert.equal(replay({ wire, framing: 'sse', bytes: cut }).finished, false);
});

test('an unstreamed answer comes through whole, and what is no JSON is no answer', () => {
  const bytes = Buffer.from(JSON.stringify(messagesAnswer));
  assert.deepEqual(replayEverywhere({ wire, framing: 'json', bytes }).answer, messagesAnswer);
  const nothing = replay({ wire, framing: 'json', bytes: Buffer.from('<html>') });
  assert.deepEqual([nothing.events, nothing.finished], [[], true]);
  const error = { type: 'error', error: { type: 'api_error', message: 'no' } };
  assert.equal(
    replay({ wire, framing: 'json', bytes: Buffer.from(JSON.stringify(error)) }).error?.message,
    'no',
  );
});

test('what is written reads back as the same answer, in both framings', () => {
  for (const framing of ['json', 'sse'] as const) {
    const bytes = Buffer.from(
      encodeEvents(wire.replyEncoder(framing, asked), answerToEvents(messagesAnswer)),
    );
    assert.deepEqual(replay({ wire, framing, bytes }).answer, messagesAnswer);
  }
});

test('counts that clients rely on are there even where the provider gave none', () => {
  const text = encodeEvents(
    wire.replyEncoder('sse', asked),
    answerToEvents({ ...messagesAnswer, usage: {} }),
  );
  const start = JSON.parse(/event: message_start\ndata: (.*)/.exec(text)?.[1] ?? '');
  assert.deepEqual(start.message.usage, { input_tokens: 0, output_tokens: 0 });
  assert.match(text, /"type":"message_delta".*"usage":\{"output_tokens":0/);
});

test('an unstreamed answer that failed, or has no message, is an error and not half an answer', () => {
  const failing = wire.replyEncoder('json', asked);
  failing.push({ type: 'error', error: { type: 'x', message: 'broke' } });
  assert.throws(() => failing.end(), /broke/);
  assert.throws(() => wire.replyEncoder('json', asked).end(), /contains no message/);
});

test('errors have the names of this dialect', () => {
  const names = [400, 401, 402, 403, 404, 409, 413, 429, 500, 503, 504, 529].map((status) =>
    wire.errorType(status, 'internal'),
  );
  assert.deepEqual(names, [
    'invalid_request_error',
    'authentication_error',
    'billing_error',
    'permission_error',
    'not_found_error',
    'invalid_request_error',
    'request_too_large',
    'rate_limit_error',
    'api_error',
    'api_error',
    'timeout_error',
    'overloaded_error',
  ]);
});

test('instructions that are no text are no reason to fail', () => {
  const system = [{ type: 'text', text: ' ' }, { type: 'other' }] as unknown as string;
  const { body } = wire.encodeRequest({
    model: 'm',
    system,
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()).system, [{ type: 'other' }]);
});
