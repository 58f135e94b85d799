import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { clientRequestFrom } from '../../../test/support/wire/replay.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  anthropicMessages,
  gemini,
  geminiInteractions,
  openaiChat,
  openaiResponses,
  wireFormats,
} from '../index.ts';
import { wrapOpaque } from '../opaque-data.ts';
import { mapTexts, texts, unscannedParts } from './map-texts.ts';
import type { MapText } from './text-place.ts';

const secret = 'bob@example.org';
const mask: MapText = (text) => text.replaceAll(secret, '<EMAIL_1>');
const base64 = (text: string) => Buffer.from(text).toString('base64');

const schema = {
  type: 'object',
  description: `About ${secret}`,
  properties: {
    to: { type: 'string', description: secret, enum: [secret], default: secret, title: secret },
    metadata: { type: 'object', properties: { name: { type: 'string', examples: [secret] } } },
  },
  required: ['to'],
};

/** A request in which every string that is no identifier has the secret. */
const requests: readonly { readonly wire: WireFormat; readonly body: JsonObject }[] = [
  {
    wire: anthropicMessages,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      metadata: { user_id: secret },
      stop_sequences: [secret],
      system: [{ type: 'text', text: `You are ${secret}`, cache_control: { type: 'ephemeral' } }],
      mcp_servers: [{ type: 'url', url: `https://host/${secret}`, name: 'files', authorization_token: 't' }],
      tools: [
        { name: 'mail', description: secret, input_schema: schema },
        {
          type: 'web_search_20250305',
          name: 'web_search',
          user_location: { type: 'approximate', city: secret },
        },
      ],
      tool_choice: { type: 'auto' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: secret },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: secret },
              title: secret,
              context: secret,
              citations: { enabled: true },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: secret }] } },
            { type: 'document', source: { type: 'url', url: `https://host/${secret}` } },
            {
              type: 'search_result',
              source: secret,
              title: secret,
              content: [{ type: 'text', text: secret }],
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
            {
              type: 'text',
              text: secret,
              citations: [{ type: 'char_location', cited_text: secret, document_title: secret }],
            },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: secret } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                {
                  type: 'web_search_result',
                  title: secret,
                  url: `https://host/${secret}`,
                  encrypted_content: 'x',
                },
              ],
            },
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'mail',
              input: { to: secret, list: [{ id: secret, type: secret, name: secret }] },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: secret },
                {
                  type: 'search_result',
                  source: secret,
                  title: secret,
                  content: [{ type: 'text', text: secret }],
                },
              ],
            },
            { type: 'a_type_of_tomorrow', words: { inside: [secret] } },
          ],
        },
        { role: 'user', content: secret },
      ],
    },
  },
  {
    wire: openaiChat,
    body: {
      model: 'gpt-5',
      user: secret,
      safety_identifier: secret,
      stop: [secret],
      metadata: { id: secret },
      prediction: { type: 'content', content: secret },
      web_search_options: { user_location: { type: 'approximate', approximate: { city: secret } } },
      prompt_cache_key: secret,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'mail', description: secret, schema, strict: false },
      },
      tools: [
        { type: 'function', function: { name: 'mail', description: secret, parameters: schema } },
        {
          type: 'custom',
          custom: {
            name: 'free',
            description: secret,
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        },
      ],
      messages: [
        { role: 'system', content: secret, name: secret },
        {
          role: 'user',
          name: secret,
          content: [
            { type: 'text', text: secret },
            { type: 'file', file: { filename: secret, file_data: `data:application/pdf;base64,AAAA` } },
          ],
        },
        {
          role: 'assistant',
          name: secret,
          content: secret,
          refusal: secret,
          reasoning_content: secret,
          annotations: [
            { type: 'url_citation', url_citation: { url: `https://host/${secret}`, title: secret } },
          ],
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'mail', arguments: `{"to":"${secret}","n":12345678901234567890}` },
            },
            { id: 'call_2', type: 'custom', custom: { name: 'free', input: secret } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: secret }] },
        { role: 'tool', tool_call_id: 'call_2', content: secret },
      ],
    },
  },
  {
    wire: openaiResponses,
    body: {
      model: 'gpt-5',
      instructions: secret,
      metadata: { id: secret },
      user: secret,
      safety_identifier: secret,
      prompt_cache_key: secret,
      prompt: { id: 'pmpt_1', variables: { name: secret } },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'mail', description: secret, schema, strict: false },
      },
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [
        { type: 'function', name: 'mail', description: secret, parameters: schema, strict: false },
        {
          type: 'namespace',
          name: 'files',
          tools: [{ type: 'function', name: 'open', description: secret, parameters: schema }],
        },
        { type: 'web_search', user_location: { type: 'approximate', city: secret } },
        { type: 'mcp', server_label: 'm', server_url: `https://host/${secret}`, server_description: secret },
      ],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: secret }] },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_file', filename: secret, file_data: 'data:application/pdf;base64,AAAA' }],
        },
        {
          id: 'rs_1',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: secret }],
          encrypted_content: 'x',
        },
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [
            {
              type: 'output_text',
              text: secret,
              annotations: [{ type: 'url_citation', url: `https://host/${secret}`, title: secret }],
            },
          ],
        },
        {
          id: 'ws_1',
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', query: secret },
        },
        {
          id: 'fs_1',
          type: 'file_search_call',
          queries: [secret],
          results: [{ text: secret, filename: secret }],
        },
        {
          id: 'ci_1',
          type: 'code_interpreter_call',
          code: secret,
          outputs: [{ type: 'logs', logs: secret }],
        },
        {
          id: 'mcp_1',
          type: 'mcp_call',
          server_label: 'm',
          name: 'x',
          arguments: `{"id":"${secret}"}`,
          output: secret,
        },
        { type: 'function_call', call_id: 'call_1', name: 'mail', arguments: `{"id":"${secret}"}` },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'free', input: secret },
        { type: 'shell_call', call_id: 'call_3', action: { commands: [secret] } },
        { type: 'function_call_output', call_id: 'call_1', output: secret },
        {
          type: 'custom_tool_call_output',
          call_id: 'call_2',
          output: [{ type: 'input_text', text: secret }],
        },
        {
          type: 'shell_call_output',
          call_id: 'call_3',
          output: [{ stdout: secret, outcome: { type: 'exit', exit_code: 0 } }],
        },
        {
          type: 'additional_tools',
          role: 'developer',
          tools: [{ type: 'function', name: 'late', description: secret, parameters: schema }],
        },
        { role: 'user', content: secret },
      ],
    },
  },
  {
    wire: gemini,
    body: {
      model: 'gemini-3-flash-preview',
      systemInstruction: { parts: [{ text: secret }] },
      labels: { id: secret },
      generationConfig: {
        stopSequences: [secret],
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
      },
      tools: [
        {
          functionDeclarations: [
            { name: 'mail', description: secret, parametersJsonSchema: schema, responseJsonSchema: schema },
          ],
        },
        { googleSearch: { note: secret } },
      ],
      contents: [
        {
          role: 'user',
          parts: [
            { text: secret },
            { fileData: { mimeType: 'application/pdf', fileUri: `https://host/${secret}` } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: secret, thought: true },
            { text: secret, thoughtSignature: 'c2ln' },
            { executableCode: { language: 'PYTHON', code: secret } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: secret } },
            {
              functionCall: { id: 'call_1', name: 'mail', args: { name: secret, deep: [{ type: secret }] } },
            },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                id: 'call_1',
                name: 'mail',
                response: { status: secret, id: { type: secret } },
              },
            },
          ],
        },
      ],
    },
  },
  {
    wire: geminiInteractions,
    body: {
      model: 'gemini-3-flash-preview',
      system_instruction: secret,
      labels: { id: secret },
      response_format: { type: 'text', mime_type: 'application/json', schema },
      generation_config: { stop_sequences: [secret], thinking_level: 'low' },
      tools: [
        { type: 'function', name: 'mail', description: secret, parameters: schema },
        { type: 'google_search', note: secret },
      ],
      input: [
        {
          type: 'user_input',
          content: [
            { type: 'text', text: secret },
            { type: 'document', uri: `https://host/${secret}`, mime_type: 'application/pdf' },
          ],
        },
        { type: 'thought', summary: [{ type: 'text', text: secret }], signature: 'c2ln' },
        {
          type: 'model_output',
          content: [
            {
              type: 'text',
              text: secret,
              annotations: [{ type: 'url_citation', url: secret, title: secret }],
            },
          ],
        },
        { type: 'google_search_call', id: 's1', arguments: { queries: [secret] }, signature: 'c2ln' },
        { type: 'code_execution_result', call_id: 's2', result: secret, signature: 'c2ln' },
        {
          type: 'function_call',
          id: 'call_1',
          name: 'mail',
          arguments: { id: secret, deep: [{ type: secret }] },
        },
        { type: 'function_result', call_id: 'call_1', name: 'mail', result: secret },
        {
          type: 'function_result',
          call_id: 'call_2',
          name: 'mail',
          result: [{ type: 'text', text: secret }],
          is_error: true,
        },
      ],
    },
  },
];

/** The same of what every format can express, for formats whose request above can't be translated. */
const translatable: typeof requests = [
  {
    wire: anthropicMessages,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      metadata: { user_id: secret },
      system: secret,
      tools: [{ name: 'mail', description: secret, input_schema: schema }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: secret },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: secret },
              title: secret,
            },
            {
              type: 'search_result',
              source: secret,
              title: secret,
              content: [{ type: 'text', text: secret }],
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: secret },
            { type: 'text', text: secret },
            { type: 'tool_use', id: 'toolu_1', name: 'mail', input: { id: [secret] } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: secret, is_error: true }],
        },
      ],
    },
  },
  {
    wire: gemini,
    body: {
      model: 'gemini-3-flash-preview',
      systemInstruction: { parts: [{ text: secret }] },
      contents: [
        { role: 'user', parts: [{ text: secret }] },
        { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'mail', args: { id: secret } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'call_1', name: 'mail', response: { id: secret } } }],
        },
      ],
    },
  },
];

function read(wire: WireFormat, body: JsonObject) {
  const clientRequest = clientRequestFrom(wire, body);
  return { clientRequest, request: clientRequest.request };
}

describe('mapTexts', () => {
  for (const { wire, body } of requests) {
    test(`reaches every text of ${wire.name}, and changes nothing else`, () => {
      const { clientRequest, request } = read(wire, body);
      const mapped = mapTexts(request, mask);
      const sent = JSON.parse(Buffer.from(wire.encodeRequest(mapped, clientRequest).body).toString());
      assert.deepEqual(sent, JSON.parse(JSON.stringify(body).replaceAll(secret, '<EMAIL_1>')));
    });

    test(`returns the same request of ${wire.name} if no text changes`, () => {
      const { request } = read(wire, body);
      assert.equal(
        mapTexts(request, (text) => text),
        request,
      );
    });
  }

  for (const { wire, body } of [...requests, ...translatable])
    for (const other of wireFormats.filter((format) => format !== wire))
      test(`leaves no text of ${wire.name} for a provider with ${other.name}`, () => {
        const { request } = read(wire, body);
        const { extensions, ...rest } = mapTexts(request, mask);
        const optional = Object.entries(extensions ?? {}).filter(([owner]) => !owner.endsWith('!'));
        const sent = encodeOrRejection(other, { ...rest, extensions: Object.fromEntries(optional) });
        assert.doesNotMatch(sent, new RegExp(secret));
        assert.match(
          sent,
          requests.some((one) => one.body === body) ? /EMAIL_1|format_not_supported/ : /EMAIL_1/,
        );
      });

  test('keeps the unchanged parts of a changed request', () => {
    const request: ChatRequest = {
      model: 'm',
      system: 'Be brief.',
      tools: [{ name: 'open' }],
      messages: [
        { role: 'user', content: 'Hello' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: secret },
          ],
        },
      ],
    };
    const mapped = mapTexts(request, mask);
    assert.equal(mapped.tools, request.tools);
    assert.equal(mapped.messages[0], request.messages[0]);
    const [before, after] = [request, mapped].map(({ messages }) => messages[1]?.content);
    assert.equal(after?.[0], before?.[0]);
    assert.deepEqual(after?.[1], { type: 'text', text: '<EMAIL_1>' });
  });

  test('reaches text that is encoded', () => {
    const url = `data:text/csv;base64,${base64(`to\n${secret}`)}`;
    const bodies: readonly [WireFormat, JsonObject][] = [
      [openaiChat, { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: url } }] }] }],
      [openaiResponses, { input: [{ role: 'user', content: [{ type: 'input_file', file_data: url }] }] }],
      [
        gemini,
        { contents: [{ parts: [{ inlineData: { mimeType: 'text/csv', data: base64(`to\n${secret}`) } }] }] },
      ],
      [
        geminiInteractions,
        { input: [{ type: 'document', mime_type: 'text/csv', data: base64(`to\n${secret}`) }] },
      ],
    ];
    for (const [wire, fields] of bodies) {
      const { clientRequest, request } = read(wire, { model: 'm', ...fields });
      const mapped = mapTexts(request, mask);
      const sent = Buffer.from(wire.encodeRequest(mapped, clientRequest).body).toString();
      assert.match(sent, new RegExp(base64('to\n<EMAIL_1>')), wire.name);
      const messages = Buffer.from(
        anthropicMessages.encodeRequest({ ...mapped, max_tokens: 9 }).body,
      ).toString();
      assert.match(messages, /<EMAIL_1>/);
    }
  });

  test('reaches a text that its format splits', () => {
    const parts = [{ text: 'Ask bob@exam' }, { text: 'ple.org' }];
    const body = { model: 'm', contents: [{ parts: [{ text: 'Who?' }] }, { role: 'model', parts }] };
    const { clientRequest, request } = read(gemini, body);
    const sent = Buffer.from(gemini.encodeRequest(mapTexts(request, mask), clientRequest).body).toString();
    assert.match(sent, /Ask <EMAIL_1>/);
    assert.doesNotMatch(sent, /exam/);
  });

  test('leaves out a signed thought that would be changed, and keeps the others', () => {
    const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: 'sig' }) as const;
    const sealed = { type: 'redacted_thinking', data: wrapOpaque('openai-chat', secret) } as const;
    const text = { type: 'text', text: 'Yes' } as const;
    const request: ChatRequest = {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [thought(`It is ${secret}`), sealed, text] },
        { role: 'user', content: 'And?' },
        { role: 'assistant', content: [thought(secret)] },
        { role: 'assistant', content: [thought('Hm.'), text] },
      ],
    };
    assert.deepEqual(mapTexts(request, mask).messages, [
      request.messages[0],
      { role: 'assistant', content: [text] },
      request.messages[2],
      request.messages[4],
    ]);
    const details = [
      { type: 'reasoning.text', format: 'anthropic-claude-v1', text: secret, signature: 'sig', index: 0 },
    ];
    const { clientRequest, request: chat } = read(openaiChat, {
      model: 'anthropic/claude-opus-4.8',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Yes', reasoning_details: details },
      ],
    });
    const sent = Buffer.from(openaiChat.encodeRequest(mapTexts(chat, mask), clientRequest).body).toString();
    assert.doesNotMatch(sent, new RegExp(`${secret}|sig`));
  });
});

test('no request that a format accepts is too odd', () => {
  const odd = fc.oneof(
    fc.constantFrom(null, 0, true, secret, [], {}, [[secret]], { type: 'thinking' }),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...requests), fc.nat(), fc.nat(), odd, ({ wire, body }, at, other, value) => {
      const changed = withOddValue(withOddValue({ ...body, extensions: 1 }, at, value), other, value);
      let request: ChatRequest;
      try {
        request = read(wire, changed).request;
      } catch (rejection) {
        assert.ok(GatewayError.is(rejection), String(rejection));
        return;
      }
      assert.equal(
        mapTexts(request, (text) => text),
        request,
      );
      mapTexts(request, mask);
      unscannedParts(request);
    }),
    { numRuns: 1000 },
  );
});

/** The body with one of its values replaced, counted in the order of the document. */
function withOddValue(body: JsonObject, at: number, value: unknown): JsonObject {
  let count = 0;
  JSON.stringify(body, (_, inner) => {
    count++;
    return inner;
  });
  let index = 0;
  const wanted = (at % (count - 1)) + 1;
  return JSON.parse(JSON.stringify(body, (_, inner) => (index++ === wanted ? value : inner)));
}

test('texts lists every text with its place', () => {
  const found = texts({
    model: 'm',
    system: 'Be brief.',
    tools: [{ name: 'mail', description: 'Sends mail.' }],
    messages: [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'tool_use', id: 't', name: 'mail', input: { to: secret } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'Sent.' }] },
    ],
  });
  assert.deepEqual(found, [
    { field: 'message', role: 'user', messageIndex: 0, text: 'Hello' },
    { field: 'thinking', role: 'assistant', messageIndex: 1, isSigned: true, text: 'Hm.' },
    { field: 'tool-arguments', role: 'assistant', messageIndex: 1, name: 'to', text: secret },
    { field: 'tool-result', role: 'user', messageIndex: 2, text: 'Sent.' },
    { field: 'system', text: 'Be brief.' },
    { field: 'tool-description', text: 'Sends mail.' },
  ]);
});

test('unscannedParts lists what is no text', () => {
  const media = (media_type: string) => ({ type: 'base64', media_type, data: 'AAAA' }) as const;
  const { request } = read(anthropicMessages, {
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: media('image/png') },
          { type: 'image', source: { type: 'url', url: 'https://host/a.png' } },
          { type: 'document', source: media('application/pdf') },
          { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Text' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
    ],
  });
  const place = { field: 'message', role: 'user', messageIndex: 0 };
  assert.deepEqual(unscannedParts(request), [
    { kind: 'image', ...place },
    { kind: 'image', ...place },
    { kind: 'document', ...place, field: 'document' },
    { kind: 'file', ...place, field: 'document' },
    { kind: 'encrypted', ...place, role: 'assistant', messageIndex: 1 },
  ]);
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const chat = read(openaiChat, { model: 'm', messages: [{ role: 'user', content: [audio] }] });
  assert.deepEqual(unscannedParts(chat.request), [{ kind: 'audio', ...place }]);
  const responses = read(openaiResponses, {
    model: 'm',
    previous_response_id: 'resp_1',
    input: [{ type: 'item_reference', id: 'msg_1' }],
  });
  assert.deepEqual(
    unscannedParts(responses.request).map(({ kind }) => kind),
    ['stored', 'stored'],
  );
});

/** A request that can't be expressed in a format reaches no provider. */
function encodeOrRejection(wire: WireFormat, request: ChatRequest): string {
  try {
    return Buffer.from(wire.encodeRequest(request).body).toString();
  } catch (rejection) {
    if (GatewayError.is(rejection)) return rejection.code;
    throw rejection;
  }
}

test('a signed summary of a conversation becomes text if it changes', () => {
  const summary = { type: 'compaction', content: 'Ann asked.', encrypted_content: 'x', signature: 'signed' };
  const request = anthropicMessages.decodeRequest({
    model: 'claude-opus-5-5',
    messages: [
      { role: 'assistant', content: [summary] },
      { role: 'user', content: 'Go on' },
    ],
  });
  assert.equal(
    mapTexts(request, (text) => text),
    request,
  );
  const [first] = mapTexts(request, (text) => text.replace('Ann', 'NAME')).messages;
  assert.deepEqual(first?.content, [{ type: 'text', text: 'NAME asked.' }]);
});

test('long numbers in the arguments of tools are texts, too', () => {
  const card = '4111111111111111';
  const tool = { name: 'pay', arguments: `{"n":7,"cards":[{"number":${card}},12345678901234567890]}` };
  const { request } = read(openaiChat, {
    model: 'm',
    messages: [{ role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: tool }] }],
  });
  const numbers = texts(request).map(({ name, text }) => [name, text]);
  assert.deepEqual(numbers, [
    ['number', card],
    ['cards', '12345678901234567890'],
  ]);
  const masked = mapTexts(request, (text) => (text === card ? '<CARD>' : text));
  const sent = Buffer.from(openaiChat.encodeRequest(masked).body).toString();
  assert.match(sent, /\{\\"n\\":7,\\"cards\\":\[\{\\"number\\":\\"<CARD>\\"\},12345678901234567890\]\}/);
});
