import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversation } from '../../../test/support/wire/fixtures.ts';
import { clientRequestFrom } from '../../../test/support/wire/replay.ts';
import { fullAcceptance } from '../../kernel/acceptance.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { openaiResponses } from '../openai-responses/openai-responses.ts';
import { openaiChat as wire } from './openai-chat.ts';

const hello = { model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] };

function encoded(request: ChatRequest) {
  const { body, dropped } = wire.encodeRequest(request);
  return { body: parsed(body), dropped };
}

function parsed(body: Uint8Array) {
  return JSON.parse(Buffer.from(body).toString());
}

function decode(body: JsonObject) {
  return wire.decodeRequest({ ...hello, ...body });
}

test('a conversation in this format has each thing in its canonical place', () => {
  const request = decode({
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'system',
        content: [{ type: 'text', text: 'And kind.', cache_control: { type: 'ephemeral' } }],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,cGRm' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hmm.',
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'weather', arguments: '{"n":12345678901234567890}' },
          },
          { id: 'b', type: 'function', function: { name: 'now', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'noon' }] },
      { role: 'user', content: 'Well?' },
      { role: 'system', content: 'Mind the time.' },
      { role: 'user', content: 'Quick!' },
    ],
    max_tokens: 10,
    max_completion_tokens: 20,
    stop: 'END',
    user: 'u',
    safety_identifier: 's',
    reasoning_effort: 'low',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'R', schema: { type: 'object' }, strict: true },
    },
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: 'd', parameters: { type: 'object' }, strict: true },
      },
      { function: { name: 'now' } },
      { type: 'custom', custom: { name: 'free' } },
    ],
    tool_choice: 'required',
    parallel_tool_calls: false,
    seed: 7,
  });
  assert.deepEqual(request.system, [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'And kind.', cache_control: { type: 'ephemeral' } },
  ]);
  assert.deepEqual(request.messages[0]?.content, [
    { type: 'text', text: 'What is it?' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
    { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
      title: 'a.pdf',
    },
  ]);
  assert.equal(
    JSON.stringify(request.messages[1]?.content),
    '[{"type":"thinking","thinking":"Hmm."},{"type":"tool_use","id":"a","name":"weather","input":{"n":12345678901234567890}},{"type":"tool_use","id":"b","name":"now","input":{}}]',
  );
  assert.deepEqual(request.messages.slice(2), [
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'Rain' },
        { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'noon' }] },
        { type: 'text', text: 'Well?' },
      ],
    },
    { role: 'system', content: 'Mind the time.' },
    { role: 'user', content: 'Quick!' },
  ]);
  assert.deepEqual(
    [request.max_tokens, request.stop_sequences, request.metadata],
    [20, ['END'], { user_id: 's' }],
  );
  assert.deepEqual(request.tool_choice, { type: 'any', disable_parallel_tool_use: true });
  assert.deepEqual(request.output_config, {
    effort: 'low',
    format: { type: 'json_schema', schema: { type: 'object' }, name: 'R', strict: true },
  });
  assert.deepEqual(request.tools?.slice(0, 2), [
    { name: 'weather', description: 'd', input_schema: { type: 'object' }, strict: true },
    { name: 'now', input_schema: { type: 'object', properties: {} } },
  ]);
  assert.deepEqual(
    [request.tools?.[2]?.name, request.tools?.[2]?.input_schema?.required],
    ['free', ['input']],
  );
  const { dropped } = anthropicMessages.encodeRequest(request);
  for (const field of ['seed', 'messages[].content[].image_url.detail'])
    assert.ok(dropped.includes(field), field);
});

test('everything that real clients send is read, also what no other format could answer', () => {
  const body = {
    n: 2,
    logprobs: true,
    modalities: ['text', 'audio'],
    audio: { voice: 'a' },
    tool_choice: null,
    stop: null,
    tools: null,
  };
  for (const [field, value] of Object.entries(body)) assert.ok(decode({ [field]: value }));
  const audio = [
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }] },
  ];
  assert.ok(decode({ messages: audio }));
});

test('what would change the answer is refused across formats, by name', () => {
  const audio = [
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }] },
  ];
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [{ messages: audio }, 'messages[].content[].input_audio'],
  ];
  for (const [body, param] of cases)
    assert.throws(
      () => anthropicMessages.encodeRequest(decode(body)),
      (error) =>
        GatewayError.is(error) && error.code === 'format_not_supported' && error.details.param === param,
    );
  assert.ok(anthropicMessages.encodeRequest(decode({ n: 1, logprobs: false, modalities: ['text'] })));
});

test('a request that is no conversation is refused', () => {
  assert.throws(() => wire.decodeRequest({ model: 'm' }), /messages/);
  assert.throws(() => wire.decodeRequest({ model: 'm', messages: [{}] }), /role/);
  assert.throws(() => decode({ max_completion_tokens: -1 }), /max_completion_tokens/);
});

test('a conversation made elsewhere is written with everything this format can say', () => {
  const { body, dropped } = encoded({ ...conversation, model: 'gpt-5' });
  assert.deepEqual(dropped, []);
  assert.deepEqual(body.messages, [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this, and the weather there?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,cGRm' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Tokyo"}' } },
        { id: 'call_b', type: 'function', function: { name: 'now', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_a', content: 'Rain' },
    { role: 'tool', tool_call_id: 'call_b', content: '[tool error] no clock' },
    { role: 'user', content: 'Well?' },
    { role: 'assistant', content: 'It rains.' },
    { role: 'system', content: 'Answer in Japanese.' },
    { role: 'user', content: 'And tomorrow?' },
  ]);
  assert.deepEqual(body.tool_choice, 'required');
  assert.equal(body.parallel_tool_calls, false);
  assert.deepEqual([body.max_completion_tokens, body.max_tokens], [500, undefined]);
  assert.deepEqual([body.stop, body.user, body.temperature, body.top_p], [['END'], 'user-7', 0.5, 0.9]);
  assert.deepEqual([body.stream, body.stream_options], [true, undefined]);
  assert.equal(encoded({ ...conversation, model: 'llama-4' }).body.max_tokens, 500);
});

test('pictures that a tool returned follow its result in a message where pictures may stand', () => {
  const { body } = encoded({
    ...conversation,
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } }],
          },
          {
            type: 'tool_result',
            tool_use_id: 'b',
            content: [
              {
                type: 'document',
                title: 'T',
                source: { type: 'text', media_type: 'text/plain', data: 'fine' },
              },
            ],
          },
        ],
      },
    ],
  });
  assert.deepEqual(
    body.messages.slice(1).map((message: { role: string }) => message.role),
    ['tool', 'tool', 'user'],
  );
  assert.equal(body.messages[2].content, 'T\n\nfine');
  assert.deepEqual(body.messages[3].content, [
    { type: 'text', text: 'Returned by tool call a:' },
    { type: 'image_url', image_url: { url: 'https://a.example/x.png' } },
  ]);
});

test('cache markers and signed thinking go to hosts of Claude only, and plain reasoning goes back where it came from', () => {
  const messages: ChatRequest['messages'] = [
    {
      role: 'user',
      content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'signed', signature: 's' },
        { type: 'text', text: 'x' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'plain' },
        { type: 'text', text: 'y' },
      ],
    },
  ];
  const home = encoded({ model: 'anthropic/claude-opus-4.8', messages });
  assert.deepEqual(home.dropped, []);
  assert.deepEqual(home.body.messages[0].content[0].cache_control, { type: 'ephemeral', ttl: '1h' });
  const back = wire.decodeRequest(home.body);
  assert.deepEqual(back.messages[1]?.content, [
    { type: 'thinking', thinking: 'signed', signature: 's' },
    { type: 'text', text: 'x' },
    { type: 'thinking', thinking: 'plain' },
    { type: 'text', text: 'y' },
  ]);
  const marked = { type: 'tool_result', tool_use_id: 'a', cache_control: { type: 'ephemeral' } } as const;
  const result = encoded({
    model: 'anthropic/claude-opus-4.8',
    messages: [{ role: 'user', content: [{ ...marked, content: 'done' }] }],
  });
  assert.deepEqual(result.body.messages[0].content, [
    { type: 'text', text: 'done', cache_control: { type: 'ephemeral' } },
  ]);
  const away = encoded({ model: 'deepseek-chat', messages });
  assert.deepEqual(away.dropped, ['cache_control', 'messages[].content[].thinking']);
  assert.deepEqual(away.body.messages[0], { role: 'user', content: 'hi' });
  assert.deepEqual(away.body.messages[1], { role: 'assistant', content: 'x' });
  assert.deepEqual(away.body.messages[2], { role: 'assistant', content: 'y', reasoning_content: 'plain' });
});

test('thinking becomes effort where the model can think', () => {
  const effort = (model: string, fields: Partial<ChatRequest>) => {
    const efforts = model === 'gpt-4o' ? [] : fullAcceptance.efforts;
    const request = { model, messages: conversation.messages, ...fields };
    const { body, dropped } = wire.encodeRequest(request, undefined, { ...fullAcceptance, efforts });
    return [parsed(body).reasoning_effort, dropped];
  };
  assert.deepEqual(effort('gpt-5', { thinking: { type: 'enabled', budget_tokens: 1024 } }), ['low', []]);
  assert.deepEqual(effort('gpt-5', { thinking: { type: 'enabled', budget_tokens: 16_000 } }), ['high', []]);
  assert.deepEqual(effort('gpt-5', { thinking: { type: 'adaptive' } }), [undefined, []]);
  assert.deepEqual(effort('gpt-5', { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }), [
    'xhigh',
    [],
  ]);
  assert.deepEqual(effort('gpt-4o', { output_config: { effort: 'low' } }), [
    undefined,
    ['output_config.effort'],
  ]);
});

test('a schema for the answer is strict where strict mode takes it', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const format = (schema: JsonObject) =>
    encoded({ ...conversation, output_config: { format: { type: 'json_schema', schema } } }).body
      .response_format;
  assert.deepEqual(format(closed), {
    type: 'json_schema',
    json_schema: { name: 'response', schema: closed, strict: true },
  });
  assert.equal(format({ ...closed, required: [] }).json_schema.strict, false);
  const beta = Object.assign({}, conversation, { output_format: { type: 'json_schema', schema: closed } });
  assert.equal(encoded(beta).body.response_format.json_schema.strict, true);
});

test('what this format has no place for is listed, and what it cannot do without is refused', () => {
  const request = Object.assign({}, conversation, {
    top_k: 5,
    mcp_servers: [{}],
    metadata: { user_id: 'x'.repeat(100) },
  });
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
  const { body, dropped } = encoded({ ...request, tools });
  assert.deepEqual(dropped, ['top_k', 'mcp_servers', 'tools[].web_search_20250305', 'tool_choice']);
  assert.equal(body.user.length, 64);
  const byUrl: ChatRequest['messages'] = [
    {
      role: 'user',
      content: [{ type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } }],
    },
  ];
  assert.throws(() => encoded({ ...conversation, messages: byUrl }), /document.source.url/);
});

test('a block without what it needs is refused with its place, and not met with a crash', () => {
  const blocks: readonly (readonly [JsonObject, string])[] = [
    [{ type: 'text' }, 'messages.0.content.0.text'],
    [{ type: 'image' }, 'messages.0.content.0.source'],
    [{ type: 'tool_use', id: 'a' }, 'messages.0.content.0.name'],
    [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text' }] },
      'messages.0.content.0.content.0.text',
    ],
  ];
  for (const [block, param] of blocks) {
    const request = anthropicMessages.decodeRequest({
      model: 'gpt-5',
      messages: [{ role: 'user', content: [block] }],
    });
    for (const other of [wire, openaiResponses])
      assert.throws(
        () => other.encodeRequest(request),
        (error) =>
          GatewayError.is(error) && error.code === 'invalid_request' && error.details.param === param,
      );
  }
});

test('what is listed as left out fits into a header, whatever the client called it', () => {
  const odd = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field ${at}\r\n`, 1]));
  const { dropped } = anthropicMessages.encodeRequest(decode(odd));
  assert.equal(dropped.length, 40);
  assert.equal(dropped[0], 'field_0__');
});

test('a tool is strict only where strict mode takes its schema', () => {
  const tool = (required: readonly string[]) => ({
    name: 'f',
    strict: true,
    input_schema: { type: 'object', properties: { a: {} }, required, additionalProperties: false },
  });
  const { body } = encoded({ ...conversation, tools: [tool(['a']), tool([])] });
  assert.deepEqual(
    body.tools.map((each: { function: { strict: boolean } }) => each.function.strict),
    [true, false],
  );
});

test('a changed request in the same format keeps every field, message and tool that did not change', () => {
  const text =
    '{"model":"gpt-5", "seed":12345678901234567890,"n":3,\n"messages":[{"role":"developer","content":"d","name":"x"},{"role":"user","content":"hi","name":"joe","novel":1},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{ }"}}]},{"role":"tool","tool_call_id":"a","content":"1"}],"max_completion_tokens":5,"tools":[{"type":"function","function":{"name":"f","novel":true}}]}';
  const from = clientRequestFrom(wire, text);
  const asText = (request: ChatRequest) => Buffer.from(wire.encodeRequest(request, from).body).toString();
  assert.equal(asText(from.request), text);
  assert.equal(asText({ ...from.request, model: 'gpt-6' }), text.replace('gpt-5', 'gpt-6'));
  assert.equal(
    asText({ ...from.request, max_tokens: 9 }),
    text.replace('"max_completion_tokens":5', '"max_completion_tokens":9'),
  );
  const longer = {
    ...from.request,
    messages: [...from.request.messages, { role: 'user', content: 'more' } as const],
  };
  assert.equal(
    asText(longer),
    text.replace('"content":"1"}]', '"content":"1"},{"role":"user","content":"more"}]'),
  );
  const instructed = { ...from.request, system: 'new' };
  assert.equal(
    asText(instructed),
    text.replace('{"role":"developer","content":"d","name":"x"}', '{"role":"system","content":"new"}'),
  );
  const armed = { ...from.request, tools: [...(from.request.tools ?? []), { name: 'g', input_schema: {} }] };
  assert.equal(
    asText(armed),
    text.replace(
      '"novel":true}}]',
      '"novel":true}},{"type":"function","function":{"name":"g","parameters":{}}}]',
    ),
  );
});

test('fields of this format alone come back when a request is written anew', () => {
  const { body } = encoded(decode({ seed: 7, n: 2, logit_bias: { 5: 1 }, prompt_cache_key: 'k' }));
  assert.deepEqual([body.seed, body.n, body.logit_bias, body.prompt_cache_key], [7, 2, { 5: 1 }, 'k']);
});
