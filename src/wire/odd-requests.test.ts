import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../kernel/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { anthropicMessages, gemini, openaiChat, openaiResponses, wireFormats } from './index.ts';

const odd = { toString: 1 };
const said = [{ role: 'user', content: 'Hi' }];

/** Read by a translator alone: a provider of the client's own format would have judged it. */
const refused: Readonly<Record<string, JsonObject>> = {
  temperature: { messages: said, temperature: odd },
  thinking: { messages: said, thinking: 5 },
  tool_choice: { messages: said, tool_choice: 'auto' },
  stop_sequences: { messages: said, stop_sequences: odd },
  'output_config.effort': { messages: said, output_config: { effort: odd } },
  'output_config.format': { messages: said, output_config: { format: 5 } },
  'tools.0.type': { messages: said, tools: [{ type: odd, name: 'a' }] },
  'tools.0.name': { messages: said, tools: [{ name: odd }] },
  'messages.0.role': { messages: [{ role: 'narrator', content: 'Once' }] },
  'messages.0.content.0.source.media_type': inContent({
    type: 'image',
    source: { type: 'base64', media_type: odd, data: 'x' },
  }),
  'messages.0.content.0.source.url': inContent({ type: 'image', source: { type: 'url', url: null } }),
  'messages.0.content.0.title': inContent({
    type: 'document',
    title: odd,
    source: { type: 'text', media_type: 'text/plain', data: 'x' },
  }),
  'messages.0.content.0.content.0.type': inContent({
    type: 'tool_result',
    tool_use_id: 't1',
    content: [{ type: odd }],
  }),
};

for (const [param, fields] of Object.entries(refused))
  test(`a request whose ${param} is not what it has to be is refused where it is translated`, () => {
    const request = anthropicMessages.decodeRequest({ model: 'm', max_tokens: 5, ...fields });
    for (const wire of wireFormats)
      assert.throws(
        () => wire.encodeRequest(request),
        (error) => GatewayError.is(error) && error.status === 400 && error.details.param === param,
      );
  });

test('an unknown role goes back in its own format only', () => {
  const narrated = { role: 'narrator', content: 'Once' };
  const parts = [{ text: 'Once' }];
  const asked = [
    [openaiChat, { messages: [narrated] }],
    [openaiResponses, { input: [narrated] }],
    [gemini, { contents: [{ role: 'narrator', parts }] }],
  ] as const;
  for (const [own, fields] of asked) {
    const request = own.decodeRequest({ model: 'm', ...fields });
    for (const wire of wireFormats)
      if (wire !== own)
        assert.throws(() => wire.encodeRequest(request), {
          code: 'format_not_supported',
          message: /narrator/,
        });
  }
});

test('an empty conversation is rejected by the translation to Messages', () => {
  for (const message of [
    { role: 'user' },
    { role: 'user', content: ' ' },
    { role: 'assistant', content: null },
  ])
    assert.throws(
      () => anthropicMessages.encodeRequest(openaiChat.decodeRequest({ model: 'm', messages: [message] })),
      { code: 'invalid_request', message: /messages: / },
    );
});

test('a field that is null is not asked for', () => {
  const nulls = { tool_choice: null, thinking: null, output_config: null, metadata: null, temperature: null };
  const tools = [{ name: 'a', input_schema: {} }];
  const request = anthropicMessages.decodeRequest({
    model: 'm',
    max_tokens: 5,
    messages: said,
    tools,
    ...nulls,
  });
  for (const wire of wireFormats) assert.ok(wire.encodeRequest(request).body.byteLength > 0);
});

test('what has no name for its type is of a kind that only its own format understands', () => {
  const parts = [{ type: odd }, { type: null }, { type: ['text'] }, {}];
  const chat = (content: unknown) =>
    openaiChat.decodeRequest({ model: 'm', messages: [{ role: 'user', content }], tools: parts });
  const responses = (content: unknown) =>
    openaiResponses.decodeRequest({
      model: 'm',
      input: [{ role: 'user', content }],
      tools: parts,
    });
  for (const decode of [chat, responses]) {
    const { dropped } = anthropicMessages.encodeRequest(decode('Hi'));
    assert.ok(dropped.includes('tools[].unknown'), dropped.join());
    for (const part of parts)
      assert.throws(() => anthropicMessages.encodeRequest(decode([part])), /content\[\]\.unknown/);
  }
  const item = openaiResponses.decodeRequest({ model: 'm', input: [{ type: odd }] });
  assert.throws(() => anthropicMessages.encodeRequest(item), /input\[\]\.unknown/);
});

test('a schema whose description is no text is translated without it', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 3, description: odd } } };
  const tools = [{ type: 'function', function: { name: 'a', parameters: schema, strict: true } }];
  const request = openaiChat.decodeRequest({ model: 'm', messages: said, tools });
  assert.match(Buffer.from(anthropicMessages.encodeRequest(request).body).toString(), /minimum: 3/);
});

function inContent(block: JsonObject): JsonObject {
  return { messages: [{ role: 'user', content: [block] }] };
}
