import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientRequest } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { Answer, ChatRequest, Message, ReplyEvent } from '../../kernel/message.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anthropicMessages, openaiChat } from '../../wire/index.ts';
import { demo } from './demo.ts';

const hello: ChatRequest = {
  model: 'demo-1',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Hello' }],
};
const level = {
  name: 'level',
  input_schema: {
    type: 'object',
    properties: {
      river: { type: 'string' },
      unit: { enum: ['cm', 'm'] },
      depth: { type: 'integer', minimum: 3 },
      places: { type: 'array', items: { type: 'object', properties: { exact: { type: 'boolean' } } } },
      note: { type: 'string' },
    },
    required: ['river', 'unit', 'depth', 'places'],
  },
};

test('the same request has the same answer, streamed or not, and another has another', async () => {
  const first = await answerTo(hello);
  assert.deepEqual(await answerTo(hello), first);
  assert.deepEqual(await answerTo({ ...hello, stream: true }), first);
  const other = await answerTo({ ...hello, messages: [{ role: 'user', content: 'Goodbye' }] });
  assert.notEqual(other.id, first.id);
  assert.notDeepEqual(other.content, first.content);
});

test('the answer says that it is a demonstration, and what was asked', async () => {
  const blocks = [
    { type: 'text', text: 'What is' },
    { type: 'text', text: 'this?' },
  ] as const;
  assert.match(textOf(await answerTo(hello)), /^This is a demonstration answer: .* You wrote: Hello$/);
  const asked = await answerTo({ ...hello, messages: [{ role: 'user', content: blocks }] });
  assert.match(textOf(asked), /You wrote: What is this\?$/);
});

test('a long question is quoted in part', async () => {
  const content = 'so '.repeat(5000);
  const answer = await answerTo({ ...hello, max_tokens: 10_000, messages: [{ role: 'user', content }] });
  assert.equal(answer.stop_reason, 'end_turn');
  assert.ok(textOf(answer).length < 600);
});

test('usage counts what was read and every piece that was said', async () => {
  const events = await Array.fromAsync(speak(hello));
  const deltas = events.filter((event) => event.type === 'content_block_delta').length;
  const { usage, stop_reason } = await answerTo(hello);
  assert.equal(stop_reason, 'end_turn');
  assert.equal(usage.output_tokens, deltas);
  const longer = await answerTo({ ...hello, system: 'You are a river. '.repeat(100) });
  assert.ok((longer.usage.input_tokens ?? 0) > (usage.input_tokens ?? 0) + 100);
});

test('max_tokens stops the answer exactly there', async () => {
  const whole = await answerTo(hello);
  const most = whole.usage.output_tokens ?? 0;
  for (const max_tokens of [1, 5, most - 1, most, most + 1]) {
    const answer = await answerTo({ ...hello, max_tokens });
    assert.equal(answer.stop_reason, max_tokens < most ? 'max_tokens' : 'end_turn', String(max_tokens));
    assert.equal(answer.usage.output_tokens, Math.min(max_tokens, most));
    assert.ok(textOf(whole).startsWith(textOf(answer)));
  }
});

test('a tool at hand is called with input that fits its schema', async () => {
  const answer = await answerTo({ ...hello, tools: [level] });
  assert.equal(answer.stop_reason, 'tool_use');
  const [call] = answer.content;
  assert.ok(call?.type === 'tool_use');
  assert.equal(call.name, 'level');
  assert.deepEqual(call.input, { river: 'demo', unit: 'cm', depth: 3, places: [{ exact: true }] });
  assert.deepEqual(await answerTo({ ...hello, tools: [level], stream: true }), answer);
});

test('the tool that was chosen is called, and none where none was wanted', async () => {
  const tools = [level, { name: 'flow', input_schema: { type: 'object', properties: {} } }];
  const chosen = await answerTo({ ...hello, tools, tool_choice: { type: 'tool', name: 'flow' } });
  const [call] = chosen.content;
  assert.ok(call?.type === 'tool_use');
  assert.deepEqual([call.name, call.input], ['flow', {}]);
  const none = await answerTo({ ...hello, tools, tool_choice: { type: 'none' } });
  assert.equal(none.stop_reason, 'end_turn');
  const empty = await answerTo({ ...hello, tools: [] });
  assert.equal(empty.stop_reason, 'end_turn');
});

test('of several tools one that the question names is called, once, and none that does something', async () => {
  const tools = ['Bash', 'Read', 'get_water_level', 'sendMail'].map((name) => ({ name, input_schema: {} }));
  const called = async (content: string, before: readonly Message[] = []) => {
    const messages = [...before, { role: 'user' as const, content }];
    const [block] = (await answerTo({ ...hello, tools, messages })).content;
    return block?.type === 'tool_use' ? block.name : undefined;
  };
  assert.equal(await called('Hello'), undefined);
  assert.equal(await called('What is the water level of the Isar?'), 'get_water_level');
  assert.equal(await called('Use sendMail, or run Bash.'), undefined);
  assert.equal(await called('<system-reminder>Read is a tool.</system-reminder> Hello'), undefined);
  const turn: readonly Message[] = [
    { role: 'user', content: 'What is the water level?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'get_water_level', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '2.4 m' }] },
    { role: 'assistant', content: 'So.' },
  ];
  assert.equal(await called('And the water level now?', turn), undefined);
  assert.equal(await called('Go on.', turn.slice(0, 3)), undefined);
});

test('the only tool is called unless it does something', async () => {
  const only = async (name: string) =>
    (await answerTo({ ...hello, tools: [{ name, input_schema: {} }] })).stop_reason;
  assert.deepEqual([await only('level'), await only('delete_files')], ['tool_use', 'end_turn']);
});

test("a tool's result is answered in words", async () => {
  const answer = await answerTo({
    ...hello,
    tools: [level],
    messages: [
      ...hello.messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'level', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '2.4 m' }] },
    ],
  });
  assert.equal(answer.stop_reason, 'end_turn');
  assert.match(textOf(answer), /The tool returned: 2\.4 m$/);
});

test('whatever stands in a request, it is answered', async () => {
  const names = Array.from({ length: 1000 }, () => 'a');
  const nested = (depth: number): JsonObject =>
    depth === 0
      ? {}
      : { type: 'object', required: [...names, { toString: 1 }], properties: { a: nested(depth - 1) } };
  const { content } = await answerTo({ ...hello, tools: [{ name: 'deep', input_schema: nested(8) }] });
  assert.equal(content[0]?.type, 'tool_use');
  const nameless = { name: { toString: null }, input_schema: {} };
  const named = receivedAs(anthropicMessages, { ...hello, tools: [level, nameless] }).request;
  assert.equal((await answerTo(named)).stop_reason, 'tool_use');
  for (const result of [{ a: 1 }, 5, null, [null, 5, { type: 'text', text: {} }]]) {
    const body = {
      ...hello,
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: result }] }],
    };
    assert.match(
      textOf(await answerTo(receivedAs(anthropicMessages, body).request)),
      /^This is a demonstration/,
    );
  }
});

test('events come in the order of the format', async () => {
  const types = (await Array.fromAsync(speak({ ...hello, max_tokens: 2 }))).map((event) => event.type);
  assert.deepEqual(types, [
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('a whole answer is there before any time has passed', async () => {
  const { promise: later, resolve } = Promise.withResolvers<'later'>();
  setImmediate(resolve, 'later');
  const whole = Array.fromAsync(speak(hello)).then(() => 'at once');
  assert.equal(await Promise.race([whole, later]), 'at once');
});

test('a stream takes its time between pieces', async () => {
  const times: number[] = [];
  for await (const { type } of speak({ ...hello, stream: true }))
    if (type === 'content_block_delta') times.push(performance.now());
  const [first = 0] = times;
  const msPerPiece = ((times.at(-1) ?? 0) - first) / (times.length - 1);
  assert.ok(msPerPiece >= 10, `${msPerPiece} ms`);
});

test('a client that leaves ends the stream as one that left', async () => {
  const controller = new AbortController();
  const reply = Reply.stream(speak({ ...hello, stream: true }, controller.signal));
  const { promise: ending, resolve } = Promise.withResolvers<string>();
  reply.onEnd(({ how }) => resolve(how));
  reply.tap(({ type }) => type === 'content_block_delta' && controller.abort());
  await assert.rejects(reply.answer(), (error) => GatewayError.is(error) && error.code === 'client_gone');
  assert.equal(await ending, 'aborted');
});

for (const wire of [anthropicMessages, openaiChat]) {
  for (const framing of ['json', 'sse'] as const) {
    test(`${wire.name} as ${framing} says what the model said`, async () => {
      const body: JsonObject = {
        ...hello,
        stream: framing === 'sse',
        stream_options: { include_usage: true },
      };
      const clientRequest = receivedAs(wire, body);
      const bytes = Reply.stream(speak(clientRequest.request)).bytes(wire, framing, clientRequest);
      const decoder = wire.replyDecoder(framing, 'everything');
      const events: ReplyEvent[] = [];
      for await (const chunk of bytes) events.push(...decoder.push(chunk));
      events.push(...decoder.end());
      assert.equal(decoder.finished, true);
      const answer = await Reply.stream(listed(events)).answer();
      const expected = await answerTo(clientRequest.request);
      assert.equal(textOf(answer), textOf(expected));
      assert.equal(answer.stop_reason, 'end_turn');
      assert.equal(answer.usage.input_tokens, expected.usage.input_tokens);
      assert.equal(answer.usage.output_tokens, expected.usage.output_tokens);
    });
  }
}

function speak(request: ChatRequest, signal = new AbortController().signal): AsyncGenerator<ReplyEvent> {
  assert.ok(demo.answerLocally !== undefined);
  return listed(demo.answerLocally(request, signal));
}

async function* listed(events: Iterable<ReplyEvent> | AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent> {
  yield* events;
}

function answerTo(request: ChatRequest): Promise<Answer> {
  return Reply.stream(speak(request)).answer();
}

function receivedAs(wire: WireFormat, body: JsonObject): ClientRequest {
  return new ClientRequest({
    wire,
    fields: LazyJsonObject.of(Buffer.from(JSON.stringify(body))),
    headers: [],
    query: '',
  });
}

function textOf({ content }: Answer): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
