import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireFormat } from '../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { anthropicMessages, gemini, geminiInteractions, openaiChat, openaiResponses } from './index.ts';

function translated(from: WireFormat, body: JsonObject, to: WireFormat, model: string) {
  const request = from.decodeRequest({ model: 'm', ...body }, { model: 'm', stream: false });
  const { body: bytes, dropped } = to.encodeRequest({ ...request, model });
  const sent: unknown = JSON.parse(Buffer.from(bytes).toString());
  assert.ok(isJsonObject(sent));
  return { sent, dropped };
}

const others = [
  [gemini, 'gemini-3-pro'],
  [geminiInteractions, 'gemini-omni'],
  [openaiChat, 'gpt-4o'],
  [openaiResponses, 'gpt-5'],
] as const;

test('a file of another provider is refused in turns of the model as well', () => {
  const file = { type: 'document', source: { type: 'file', file_id: 'file_01' } };
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [file] },
    { role: 'user', content: 'y' },
  ];
  for (const [wire, model] of others)
    assert.throws(() => translated(anthropicMessages, { max_tokens: 5, messages }, wire, model), {
      code: 'format_not_supported',
    });
});

test('a document that consists of texts is text elsewhere', () => {
  const content = ['one', 'two'].map((text) => ({ type: 'text', text }));
  const document = { type: 'document', title: 'T', source: { type: 'content', content } };
  const messages = [{ role: 'user', content: [document, { type: 'text', text: 'q' }] }];
  for (const [wire, model] of others) {
    const { sent } = translated(anthropicMessages, { max_tokens: 5, messages }, wire, model);
    assert.ok(JSON.stringify(sent).includes('"T\\n\\none\\n\\ntwo'), JSON.stringify(sent));
  }
});

test('stop sequences of white space are left out for Claude', () => {
  const body = { messages: [{ role: 'user', content: 'x' }], stop: ['\n', 'END'] };
  const { sent, dropped } = translated(openaiChat, body, anthropicMessages, 'claude-sonnet-4-5');
  assert.deepEqual([sent.stop_sequences, dropped], [['END'], ['stop_sequences']]);
});

test('numbers of Google’s types are names elsewhere', () => {
  const parameters = { type: 6, properties: { a: { type: 1 }, b: { type: 5, items: { type: 3 } } } };
  const tools = [{ functionDeclarations: [{ name: 'f', parameters }] }];
  const body = { contents: [{ role: 'user', parts: [{ text: 'x' }] }], tools };
  const { sent } = translated(gemini, body, anthropicMessages, 'claude-sonnet-4-5');
  assert.partialDeepStrictEqual(sent.tools, [
    {
      input_schema: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'integer' } } },
      },
    },
  ]);
});

test('a conversation that begins with a call begins with a turn of the user at Google', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const messages = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ];
  const { sent } = translated(openaiChat, { messages }, gemini, 'gemini-3-pro');
  assert.partialDeepStrictEqual(sent.contents, [
    { role: 'user', parts: [{ text: '(empty)' }] },
    { role: 'model' },
    { role: 'user' },
  ]);
  const { sent: interaction } = translated(openaiChat, { messages }, geminiInteractions, 'gemini-omni');
  assert.partialDeepStrictEqual(interaction.input, [
    { type: 'user_input', content: [{ type: 'text', text: '(empty)' }] },
    { type: 'function_call' },
    { type: 'function_result' },
  ]);
});

test('a call without a result is left out and listed for other makers, and stays for Google', () => {
  const user = (text: string) => ({ role: 'user', parts: [{ text }] });
  const calls = [
    { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' },
    { functionCall: { name: 'g', args: {} } },
  ];
  const response = { functionResponse: { name: 'g', response: { output: 'r' } } };
  const contents = [user('x'), { role: 'model', parts: calls }, { role: 'user', parts: [response] }];
  for (const [wire, model] of [...others.slice(1), [anthropicMessages, 'claude-sonnet-4-5']] as const) {
    const { sent, dropped } = translated(gemini, { contents }, wire, model);
    const names = new Set(JSON.stringify(sent).match(/"name":"."/g));
    assert.deepEqual(names, new Set(['"name":"g"']), JSON.stringify(sent));
    assert.ok(dropped.includes('messages[].content[].functionCall'), dropped.join());
  }
  const all = [user('x'), { role: 'model', parts: calls.slice(0, 1) }, user('y')];
  const { sent } = translated(gemini, { contents: all }, anthropicMessages, 'claude-sonnet-4-5');
  assert.deepEqual(sent.messages, [
    { role: 'user', content: 'x' },
    { role: 'user', content: 'y' },
  ]);
  const request = gemini.decodeRequest({ contents: all }, { model: 'gemini-3-pro', stream: false });
  const { body } = gemini.encodeRequest({ ...request, messages: structuredClone(request.messages) });
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()).contents[1].parts, calls.slice(0, 1));
});

test('a call that Google ran by itself is left out with its result', () => {
  const parts = [
    { functionCall: { name: 'f', args: {} } },
    { functionResponse: { name: 'f', response: { output: 'r' } } },
    { text: 'done' },
  ];
  const contents = [
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'model', parts },
    { role: 'user', parts: [{ text: 'y' }] },
  ];
  const { sent, dropped } = translated(gemini, { contents }, openaiChat, 'gpt-4o');
  assert.deepEqual(sent.messages, [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'y' },
  ]);
  assert.deepEqual(dropped, ['messages[].content[].functionCall', 'messages[].content[].functionResponse']);
});

test('a call of an interaction without a result is left out and listed, unless the conversation ends with it', () => {
  const input = [
    { type: 'user_input', content: [{ type: 'text', text: 'x' }] },
    { type: 'function_call', id: 'c', name: 'f', arguments: {} },
  ];
  const more = { type: 'user_input', content: [{ type: 'text', text: 'y' }] };
  const { sent, dropped } = translated(
    geminiInteractions,
    { input: [...input, more] },
    openaiResponses,
    'gpt-5',
  );
  assert.deepEqual(JSON.stringify(sent).includes('function_call'), false);
  assert.deepEqual(dropped, ['messages[].content[].function_call']);
  const { sent: open } = translated(geminiInteractions, { input }, openaiResponses, 'gpt-5');
  assert.ok(JSON.stringify(open).includes('function_call'));
});

test('a function whose name begins with a digit has a valid name at Google, and its own at the client', () => {
  const name = '1password_read';
  const messages = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ];
  const tools = [{ type: 'function', function: { name, parameters: { type: 'object' } } }];
  const body = { messages, tools, tool_choice: { type: 'function', function: { name } } };
  for (const [wire, model, answer] of [
    [
      gemini,
      'gemini-3-pro',
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ functionCall: { name: 'weir_1password_read', args: {} } }] },
            finishReason: 'STOP',
          },
        ],
      },
    ],
    [
      geminiInteractions,
      'gemini-omni',
      {
        id: 'i',
        status: 'requires_action',
        steps: [{ type: 'function_call', id: 'c', name: 'weir_1password_read', arguments: {} }],
      },
    ],
  ] as const) {
    const { sent, dropped } = translated(openaiChat, body, wire, model);
    assert.deepEqual(JSON.stringify(sent).match(/"[^"]*1password_read"/g), [
      ...Array(4).fill('"weir_1password_read"'),
    ]);
    assert.deepEqual(dropped, []);
    const decoder = wire.replyDecoder('json', 'everything');
    const events = [...decoder.push(Buffer.from(JSON.stringify(answer))), ...decoder.end()];
    const [start] = events.filter(({ type }) => type === 'content_block_start');
    assert.partialDeepStrictEqual(start, { content_block: { type: 'tool_use', name } });
  }
});

test('a name of a function that is no text is refused', () => {
  const call = { type: 'tool_use', id: 'c', name: { toString: 1 }, input: {} };
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'r' }] },
  ];
  for (const [wire, model] of others)
    assert.throws(() => translated(anthropicMessages, { max_tokens: 5, messages }, wire, model), {
      code: 'invalid_request',
    });
});

test('base64 in the place of an address is a file of its type, or refused', () => {
  const pdf = Buffer.from('%PDF-1.4 a file').toString('base64');
  const asking = (part: JsonObject) => ({ input: [{ role: 'user', content: [part] }] });
  const { sent } = translated(
    openaiResponses,
    asking({ type: 'input_file', file_url: pdf }),
    anthropicMessages,
    'claude-sonnet-4-5',
  );
  const source = { type: 'base64', media_type: 'application/pdf', data: pdf };
  assert.partialDeepStrictEqual(sent.messages, [{ content: [{ type: 'document', source }] }]);
  const unknown = asking({ type: 'input_file', file_url: Buffer.from('anything').toString('base64') });
  assert.throws(() => translated(openaiResponses, unknown, anthropicMessages, 'claude-sonnet-4-5'), {
    code: 'format_not_supported',
    details: { param: 'messages[].content[].document.source.url' },
  });
});

test('a threshold for compactions is listed for other makers', () => {
  const context_management = [{ type: 'compaction', compact_threshold: 1000 }];
  for (const [wire, model] of [[anthropicMessages, 'claude-sonnet-4-5'], ...others.slice(0, 2)] as const) {
    const { dropped } = translated(openaiResponses, { input: 'x', context_management }, wire, model);
    assert.deepEqual(dropped, ['context_management']);
  }
});

test('approvals of MCP leave no empty messages in Chat Completions', () => {
  const input = [
    { role: 'user', content: 'x' },
    { type: 'mcp_approval_request', id: 'r', name: 'n', arguments: '{}', server_label: 's' },
    { type: 'mcp_approval_response', approval_request_id: 'r', approve: true },
  ];
  const { sent } = translated(openaiResponses, { input }, openaiChat, 'gpt-4o');
  assert.deepEqual(sent.messages, [{ role: 'user', content: 'x' }]);
});
