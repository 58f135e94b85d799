import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireFormat } from '../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { anthropicMessages, gemini, openaiChat, openaiResponses } from './index.ts';

function translated(from: WireFormat, body: JsonObject, to: WireFormat, model: string) {
  const request = from.decodeRequest({ model: 'm', ...body }, { model: 'm', stream: false });
  const { body: bytes, dropped } = to.encodeRequest({ ...request, model });
  const sent: unknown = JSON.parse(Buffer.from(bytes).toString());
  assert.ok(isJsonObject(sent));
  return { sent, dropped };
}

const others = [
  [gemini, 'gemini-3-pro'],
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
