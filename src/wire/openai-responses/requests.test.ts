import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversation, messagesAnswer } from '../../../test/support/wire/fixtures.ts';
import { clientRequestFrom } from '../../../test/support/wire/replay.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { wrapOpaque } from '../opaque-data.ts';
import { openaiChat } from '../openai-chat/openai-chat.ts';
import { responsesContinuation as continuation } from './continuation.ts';
import { openaiResponses as wire } from './openai-responses.ts';

const hello = { model: 'gpt-5', input: 'hi' };

function encoded(request: ChatRequest) {
  const { body, dropped } = wire.encodeRequest(request);
  return { body: JSON.parse(Buffer.from(body).toString()), dropped };
}

function decode(body: JsonObject) {
  return wire.decodeRequest({ ...hello, ...body });
}

test('items are read in turns, each thing in its canonical place', () => {
  const request = decode({
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'And kind.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: 'data:image/png;base64,aW1n', detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,cGRm' },
          { type: 'input_file', file_url: 'https://a.example/a.pdf' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hmm.' }],
        encrypted_content: wrapOpaque('signature', 's'),
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Tokyo"}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** Begin' },
      { type: 'function_call_output', call_id: 'a', output: 'Rain' },
      { type: 'custom_tool_call_output', call_id: 'b', output: '[tool error] no' },
      { role: 'user', content: 'Well?' },
    ],
    max_output_tokens: 100,
    reasoning: { effort: 'low', summary: 'auto' },
    text: {
      format: { type: 'json_schema', name: 'R', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
    },
    tools: [
      { type: 'function', name: 'weather', description: 'd', parameters: { type: 'object' }, strict: true },
      {
        type: 'custom',
        name: 'patch',
        description: 'Edits.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
      },
      { type: 'web_search' },
    ],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
    store: false,
    include: ['reasoning.encrypted_content'],
  });
  assert.deepEqual(request.system, [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'And kind.' },
  ]);
  assert.deepEqual(request.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
          title: 'a.pdf',
        },
        { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hmm.', signature: 's' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Tokyo' } },
        { type: 'tool_use', id: 'b', name: 'patch', input: { input: '*** Begin' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'Rain' },
        { type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true },
        { type: 'text', text: 'Well?' },
      ],
    },
  ]);
  assert.deepEqual(request.tool_choice, { type: 'tool', name: 'weather', disable_parallel_tool_use: true });
  assert.deepEqual(request.output_config, {
    effort: 'low',
    format: { type: 'json_schema', schema: { type: 'object' }, name: 'R', strict: true },
  });
  assert.match(request.tools?.[1]?.description ?? '', /start: x/);
  const { dropped } = anthropicMessages.encodeRequest({ ...request, model: 'claude-opus-4-8' });
  assert.deepEqual(dropped, ['reasoning', 'text', 'tools[].web_search']);
});

test('an input that is one string is one turn of the user', () => {
  assert.deepEqual(decode({}).messages, [{ role: 'user', content: 'hi' }]);
});

test('a request without input is refused, unless something stands in for it', () => {
  assert.throws(() => wire.decodeRequest({ model: 'm' }), /input/);
  assert.throws(() => wire.decodeRequest({ model: 'm', input: ['x'] }), /input\.0/);
  assert.ok(wire.decodeRequest({ model: 'm', previous_response_id: 'resp_1' }));
});

test('what keeps state with the provider, or would change the answer, is refused across formats', () => {
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ background: true }, 'background'],
    [{ include: ['message.output_text.logprobs'] }, 'include'],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, 'input[].item_reference'],
  ];
  for (const [body, param] of cases)
    for (const other of [anthropicMessages, openaiChat])
      assert.throws(
        () => other.encodeRequest(decode(body)),
        (error) =>
          GatewayError.is(error) && error.code === 'format_not_supported' && error.details.param === param,
      );
});

test('a request that goes on from an earlier answer gets other items in place of its own', () => {
  const body = { model: 'gpt-5', previous_response_id: 'resp_1', input: 'more' };
  assert.equal(continuation.previousIdIn(new Map(Object.entries(body))), 'resp_1');
  const more = { type: 'message', role: 'user', content: 'more' };
  assert.deepEqual(continuation.itemsOf(body), [more]);
  const input = [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'hello' }, more];
  assert.deepEqual(continuation.withItems(body, input), { model: 'gpt-5', input });
});

test('items that a request refers to are written out without the ids of the gateway', () => {
  const name = 'a'.repeat(32);
  const call = { type: 'function_call', call_id: 'c', name: 'now', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c', output: '12:00' };
  const reference = { type: 'item_reference', id: `fc_${name}_1` };
  const theirs = { id: 'rs_theirs' };
  const input = [{ id: `rs_${name}_0` }, reference, theirs, result];
  assert.ok(continuation.mayQuote(LazyJsonObject.of(Buffer.from(JSON.stringify({ input })))));
  assert.deepEqual(continuation.quotedIdsIn(input), [`resp_${name}`]);
  const stored = [
    { role: 'user', content: 'hi' },
    { type: 'reasoning', id: `rs_${name}_0`, summary: [] },
    { ...call, id: `fc_${name}_1` },
    reference,
  ];
  assert.deepEqual(continuation.withoutOwnIds(continuation.resolve(input, stored)), [call, theirs, result]);
});

test('what a call adds to its conversation comes back as it was', () => {
  const { id, turn } = continuation.turnOf({ ...hello, previous_response_id: 'resp_1' }, messagesAnswer);
  assert.deepEqual([id, turn.previous], ['resp_msg_2', 'resp_1']);
  assert.equal(continuation.turnOf(hello, { ...messagesAnswer, id: 'resp_2' }).id, 'resp_2');
  const request = wire.decodeRequest(
    continuation.withItems({ model: 'm' }, [...turn.items, { role: 'user', content: 'more' }]),
  );
  assert.deepEqual(request.messages, [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: messagesAnswer.content },
    { role: 'user', content: 'more' },
  ]);
});

test('nothing is kept of a call whose client says so', () => {
  assert.deepEqual(
    [{}, { store: true }, { store: null }, { store: false }].map((body) =>
      continuation.isContinuable(new Map(Object.entries(body))),
    ),
    [true, true, true, false],
  );
});

test('a conversation made elsewhere is written with everything this format can say', () => {
  const { body, dropped } = encoded({ ...conversation, model: 'gpt-5' });
  assert.deepEqual(dropped, ['stop_sequences']);
  assert.equal(body.instructions, 'Be brief.');
  assert.deepEqual(body.input, [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this, and the weather there?' },
        { type: 'input_image', image_url: 'data:image/png;base64,aW1n', detail: 'auto' },
        { type: 'input_image', image_url: 'https://a.example/b.png', detail: 'auto' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,cGRm' },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
    },
    { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Tokyo"}' },
    { type: 'function_call', call_id: 'call_b', name: 'now', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_a', output: 'Rain' },
    { type: 'function_call_output', call_id: 'call_b', output: '[tool error] no clock' },
    { type: 'message', role: 'user', content: 'Well?' },
    { type: 'message', role: 'assistant', content: 'It rains.' },
    { type: 'message', role: 'system', content: 'Answer in Japanese.' },
    { type: 'message', role: 'user', content: 'And tomorrow?' },
  ]);
  assert.equal(body.tools[0].strict, false);
  assert.deepEqual([body.tool_choice, body.parallel_tool_calls], ['required', false]);
  assert.deepEqual([body.store, body.include], [false, ['reasoning.encrypted_content']]);
  assert.equal(encoded({ ...conversation, model: 'gpt-4o' }).body.include, undefined);
  assert.equal(encoded({ ...conversation, max_tokens: 1 }).body.max_output_tokens, 16);
});

test('pictures that a tool returned stay in its result', () => {
  const content = [{ type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } }] as const;
  const { body } = encoded({
    ...conversation,
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }],
  });
  assert.deepEqual(body.input, [
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [{ type: 'input_image', image_url: 'https://a.example/x.png', detail: 'auto' }],
    },
  ]);
});

test('reasoning that OpenAI encrypted returns to OpenAI through a client of another format, and to no other provider', () => {
  const sealed = wrapOpaque('openai-responses', JSON.stringify({ id: 'rs_1', encrypted_content: 'secret' }));
  const messages: ChatRequest['messages'] = [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'its summary' },
        { type: 'redacted_thinking', data: sealed },
        { type: 'text', text: 'x' },
      ],
    },
  ];
  const { body } = encoded({ model: 'gpt-5', messages });
  assert.deepEqual(body.input[1], {
    type: 'reasoning',
    summary: [],
    id: 'rs_1',
    encrypted_content: 'secret',
  });
  for (const other of [anthropicMessages, openaiChat]) {
    const elsewhere = other.encodeRequest({ model: 'claude-opus-4-8', messages });
    assert.doesNotMatch(Buffer.from(elsewhere.body).toString(), /secret/);
    assert.ok(elsewhere.dropped.length > 0);
  }
});

test('a changed request in the same format keeps every field and item that did not change', () => {
  const text =
    '{"model":"gpt-5","novel":12345678901234567890, "instructions":"i","input":[{"role":"developer","content":"d"},{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"},{"type":"novel_call","x":1},{"role":"user","content":"hi","novel":1}],"reasoning":{"effort":"low","summary":"auto"},"tools":[{"type":"web_search"}],"max_output_tokens":50}';
  const from = clientRequestFrom(wire, text);
  const asText = (request: ChatRequest) => Buffer.from(wire.encodeRequest(request, from).body).toString();
  assert.equal(asText(from.request), text);
  assert.equal(
    asText({ ...from.request, model: 'gpt-6', max_tokens: 60 }),
    text.replace('gpt-5', 'gpt-6').replace(':50', ':60'),
  );
  const longer = {
    ...from.request,
    messages: [...from.request.messages, { role: 'user', content: 'more' } as const],
  };
  assert.equal(
    asText(longer),
    text.replace('"novel":1}]', '"novel":1},{"type":"message","role":"user","content":"more"}]'),
  );
  const harder = { ...from.request, output_config: { effort: 'high' } };
  assert.equal(
    asText(harder),
    text
      .replace('"effort":"low"', '"effort":"high"')
      .replace('{"effort":"high","summary":"auto"}', '{"effort":"high","summary":"auto"}'),
  );
  const instructed = { ...from.request, system: 'new' };
  assert.equal(
    asText(instructed),
    text
      .replace('"instructions":"i"', '"instructions":"new"')
      .replace('{"role":"developer","content":"d"},', ''),
  );
});

test('kinds of items that no other format has are left out across formats and listed', () => {
  const request = decode({
    input: [
      { type: 'web_search_call', id: 'ws_1' },
      { role: 'user', content: 'hi' },
    ],
  });
  for (const other of [anthropicMessages, openaiChat]) {
    const { dropped } = other.encodeRequest(request);
    assert.deepEqual(dropped, ['messages[].content[].web_search_call']);
  }
});
