import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geminiStream } from '../../../test/support/wire/fixtures.ts';
import {
  clientRequestFrom,
  encodeEvents,
  replay,
  replayEverywhere,
} from '../../../test/support/wire/replay.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { parseBody } from '../../kernel/json/parse-body.ts';
import type { Answer, ChatRequest } from '../../kernel/message.ts';
import { answerToEvents } from '../../kernel/reply/answer-events.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf } from '../json-values.ts';
import { gemini } from './gemini.ts';
import { JsonArrayStream } from './json-array-stream.ts';
import { signatureIn, toSignatureBlock } from './signatures.ts';
import { encodeUsage } from './usage.ts';

const stream = { wire: gemini, framing: 'sse', bytes: geminiStream } as const;

test('a stream is the same wherever it is cut, and its signatures say what they stand on', () => {
  const { answer, finished } = replayEverywhere(stream);
  assert.ok(finished && answer !== undefined);
  assert.deepEqual(
    answer.content.map(({ type }) => type),
    ['thinking', 'text', 'redacted_thinking', 'redacted_thinking', 'tool_use', 'tool_use'],
  );
  assert.deepEqual(
    answer.content.flatMap((block) => signatureIn(block)?.on ?? []),
    ['text', { call: 'call_gemini-1_0' }],
  );
  const watched = replay({ ...stream, interest: 'milestones' }).answer;
  assert.deepEqual([watched?.stop_reason, watched?.usage], ['tool_use', answer.usage]);
});

test('a stream that breaks off has cost what its last piece said', () => {
  const all = Buffer.from(geminiStream);
  const bytes = all.subarray(0, all.lastIndexOf('data:', all.indexOf('functionCall')));
  for (const interest of ['everything', 'milestones'] as const) {
    const { answer, finished } = replay({ ...stream, bytes, interest });
    assert.deepEqual([finished, answer?.usage.output_tokens], [false, 18]);
  }
});

test('a stream as a list has all its pieces, wherever it is cut, and what broke it as the last', () => {
  const frames = geminiStream
    .toString()
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame !== '');
  const pieces = frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')));
  for (let cut = 0; cut <= geminiStream.byteLength; cut++) {
    const list = new JsonArrayStream();
    const written = [geminiStream.subarray(0, cut), geminiStream.subarray(cut)].flatMap(
      (chunk) => list.push(chunk) ?? [],
    );
    assert.deepEqual(JSON.parse(Buffer.concat([...written, list.end()]).toString()), pieces);
  }
  const error = { error: { code: 502 } };
  for (let cut = 0; cut <= geminiStream.byteLength; cut += 7) {
    const list = new JsonArrayStream();
    const written = list.push(geminiStream.subarray(0, cut)) ?? Buffer.of();
    const parsed: unknown = JSON.parse(Buffer.concat([written, list.encodeError(error)]).toString());
    assert.ok(Array.isArray(parsed));
    assert.deepEqual(parsed, [...pieces.slice(0, parsed.length - 1), error]);
  }
  assert.equal(Buffer.from(new JsonArrayStream().end()).toString(), '[]\n');
});

test('an answer that stopped early says why, and one that is none is an error', () => {
  const read = (candidate: object, more: object = {}) => {
    const body = {
      candidates: [{ index: 0, ...candidate }],
      usageMetadata: { promptTokenCount: 3 },
      ...more,
    };
    return replay({ wire: gemini, framing: 'json', bytes: Buffer.from(JSON.stringify(body)) });
  };
  const content = { parts: [{ text: 'Some' }] };
  assert.equal(read({ content, finishReason: 'MAX_TOKENS' }).answer?.stop_reason, 'max_tokens');
  assert.equal(read({ content, finishReason: 'OTHER' }).answer?.stop_reason, 'end_turn');
  for (const reason of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT'])
    assert.equal(read({ content: {}, finishReason: reason }).answer?.stop_details?.category, reason);
  const promptFeedback = { blockReason: 'SAFETY', blockReasonMessage: 'No.' };
  const blocked = read({}, { candidates: undefined, promptFeedback }).answer;
  assert.deepEqual([blocked?.stop_reason, blocked?.stop_details?.explanation], ['refusal', 'No.']);
  const malformed = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed.' };
  assert.deepEqual(read(malformed).error, {
    type: 'MALFORMED_FUNCTION_CALL',
    message: 'Malformed.',
    status: 502,
  });
});

test('what tools of the provider brought in and what was thought is counted', () => {
  const usageMetadata = {
    ...{ promptTokenCount: 100, cachedContentTokenCount: 40, toolUsePromptTokenCount: 7 },
    ...{ candidatesTokenCount: 5, thoughtsTokenCount: 9, serviceTier: 'flex' },
  };
  const groundingMetadata = { webSearchQueries: ['a', 'b'] };
  const candidates = [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP', groundingMetadata }];
  const body = { candidates, usageMetadata, modelVersion: 'gemini-3-pro-preview' };
  const bytes = Buffer.from(JSON.stringify(body));
  for (const interest of ['everything', 'milestones'] as const)
    assert.deepEqual(replay({ wire: gemini, framing: 'json', bytes, interest }).answer?.usage, {
      ...{ input_tokens: 67, cache_read_input_tokens: 40, output_tokens: 14 },
      output_tokens_details: { thinking_tokens: 9 },
      service_tier: 'flex',
      server_tool_use: { web_search_requests: 2 },
    });
});

test('the tier that served a call is told in three ways', () => {
  const read = (tier: object) => {
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, ...tier };
    const candidates = [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }];
    const bytes = Buffer.from(JSON.stringify({ candidates, usageMetadata }));
    return replay({ wire: gemini, framing: 'json', bytes }).answer?.usage.service_tier;
  };
  for (const tier of ['priority', 'PRIORITY', 'SERVICE_TIER_PRIORITY'])
    assert.equal(read({ serviceTier: tier }), 'priority');
  assert.equal(read({ trafficType: 'ON_DEMAND_PRIORITY' }), 'priority');
  assert.equal(read({ trafficType: 'ON_DEMAND_OFFPEAK' }), 'offpeak');
  assert.equal(read({ trafficType: 'PROVISIONED_THROUGHPUT' }), 'provisioned_throughput');
  for (const usual of ['ON_DEMAND', 'TRAFFIC_TYPE_UNSPECIFIED'])
    assert.equal(read({ trafficType: usual }), undefined);
  for (const usual of ['standard', 'unspecified', '']) assert.equal(read({ serviceTier: usual }), undefined);
});

test('the model that answered is named without its place among resources, streamed or not', () => {
  const candidates = [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }];
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1 };
  const models = ['gemini-3.8-flash', 'models/gemini-3.8-flash', 'publishers/google/models/gemini-3.8-flash'];
  for (const modelVersion of models) {
    const json = JSON.stringify({ candidates, usageMetadata, modelVersion });
    for (const interest of ['everything', 'milestones'] as const) {
      const whole = replay({ wire: gemini, framing: 'json', bytes: Buffer.from(json), interest });
      const streamed = replay({ ...stream, bytes: Buffer.from(`data: ${json}\n\n`), interest });
      assert.deepEqual(
        [whole.answer?.model, streamed.answer?.model],
        ['gemini-3.8-flash', 'gemini-3.8-flash'],
      );
    }
  }
});

test('thinking tokens never exceed all output tokens', () => {
  // Some hosts of open models count thoughts by another tokenizer.
  const thought = { output_tokens_details: { thinking_tokens: 19 } };
  assert.deepEqual(encodeUsage({ input_tokens: 5, output_tokens: 16, ...thought }), {
    ...{ promptTokenCount: 5, candidatesTokenCount: 0, thoughtsTokenCount: 16, totalTokenCount: 21 },
  });
});

test('an error that a stream names without its number has the usual one', () => {
  const read = (error: object) =>
    replay({ ...stream, bytes: Buffer.from(`data: ${JSON.stringify({ error })}\n\n`) }).error?.status;
  const named = { RESOURCE_EXHAUSTED: 429, UNAVAILABLE: 503, FAILED_PRECONDITION: 400, INTERNAL: 500 };
  for (const [status, expected] of Object.entries(named)) assert.equal(read({ status }), expected);
  assert.equal(read({ status: 'UNAVAILABLE', code: 529 }), 529);
});

const asked: JsonObject = {
  system_instruction: { parts: { text: 'Be brief.' } },
  contents: [
    { parts: [{ text: 'Level?' }] },
    { role: 'model', parts: [{ functionCall: { name: 'level', args: {} }, thought_signature: 'c2ln' }] },
    { role: 'user', parts: [{ function_response: { name: 'level', response: { output: '2.4 m' } } }] },
  ],
  tools: {
    functionDeclarations: [
      {
        name: 'level',
        parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
      },
    ],
  },
  generation_config: { max_output_tokens: 50, thinkingConfig: { thinkingBudget: 0 }, seed: 7 },
};

test('a request is read under either of its names, single values as lists, and Google’s schemas', () => {
  const { system, messages, tools, max_tokens, output_config, extensions } = gemini.decodeRequest(asked, {
    model: 'gemini-3-pro-preview',
    stream: false,
  });
  assert.deepEqual([system, max_tokens, output_config], ['Be brief.', 50, { effort: 'none' }]);
  assert.deepEqual(tools?.[0]?.input_schema, {
    type: 'object',
    properties: { a: { type: ['string', 'null'] } },
  });
  assert.deepEqual(messages.at(-1)?.content, [
    { type: 'tool_result', tool_use_id: 'call_0', content: '2.4 m' },
  ]);
  assert.deepEqual(extensions, { gemini: { 'generationConfig.seed': 7 } });
});

test('of a request that a module changed, what it left alone stays as it came', () => {
  const came = clientRequestFrom(gemini, { model: 'gemini-3-pro-preview', ...asked });
  const { request } = came;
  const changed: ChatRequest = {
    ...request,
    max_tokens: 20,
    messages: [...request.messages.slice(0, -1), { role: 'user', content: 'Never mind.' }],
  };
  const { model: _, ...body } = parseBody(gemini.encodeRequest(changed, came).body);
  assert.deepEqual(body, {
    ...asked,
    contents: [...objectsOf(asked.contents).slice(0, 2), { role: 'user', parts: [{ text: 'Never mind.' }] }],
    generation_config: { max_output_tokens: 20, thinkingConfig: { thinkingBudget: 0 }, seed: 7 },
  });
});

test('files, results and schemas of Google’s are read as what they are elsewhere', () => {
  const read = (part: object, config: object = {}) =>
    gemini.decodeRequest(
      { contents: [{ parts: [part] }], generationConfig: config },
      { model: 'gemini-3-pro-preview', stream: false },
    );
  const image = (fileUri: string) =>
    read({ fileData: { mimeType: 'image/png', fileUri } }).messages[0]?.content;
  assert.deepEqual(image('https://example.com/a.png'), [
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  ]);
  for (const id of [
    'gs://bucket/a.png',
    'file-abc',
    'https://generativelanguage.googleapis.com/v1beta/files/a',
  ])
    assert.deepEqual(image(id), [{ type: 'image', source: { type: 'file', file_id: id, from: 'gemini' } }]);
  const film = read({ fileData: { fileUri: 'https://www.youtube.com/watch?v=a' } });
  assert.deepEqual(film.extensions, { 'gemini!': { 'contents[].parts[].video': true } });

  const toolResult = (id: object) =>
    gemini.decodeRequest(
      {
        contents: [
          { role: 'model', parts: [{ functionCall: { name: 'a' } }, { functionCall: { name: 'b' } }] },
          { parts: [{ functionResponse: { ...id, name: 'b', response: 'plain' } }] },
        ],
      },
      { model: 'gemini-3-pro-preview', stream: false },
    ).messages[1]?.content;
  // Some clients name results and no calls.
  for (const id of [{}, { id: 'the client’s own' }])
    assert.deepEqual(toolResult(id), [{ type: 'tool_result', tool_use_id: 'call_1', content: 'plain' }]);

  const responseSchema = {
    type: 'OBJECT',
    properties: {
      kind: { type: 'STRING', format: 'enum', enum: ['a'], nullable: true },
      any: { type: 'TYPE_UNSPECIFIED', nullable: true, anyOf: [{ type: 'STRING' }] },
    },
  };
  assert.deepEqual(read({ text: 'x' }, { responseSchema }).output_config?.format?.schema, {
    type: 'object',
    properties: {
      kind: { type: ['string', 'null'], enum: ['a', null] },
      any: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
  });
  const choice = read({ text: 'x' }, { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING' } });
  assert.deepEqual(choice.extensions, { 'gemini!': { 'generationConfig.responseMimeType': 'text/x.enum' } });
  const hard = read({ text: 'x' }, { maxOutputTokens: '20', thinkingConfig: { thinkingLevel: 'XHIGH' } });
  assert.deepEqual([hard.max_tokens, hard.output_config?.effort], [20, 'xhigh']);
});

test('what is written for Google is what it takes', () => {
  const written = (request: Omit<ChatRequest, 'model'>) =>
    parseBody(gemini.encodeRequest({ model: 'gemini-3-pro-preview', ...request }).body).contents;
  assert.deepEqual(written({ messages: [{ role: 'user', content: '' }] }), [
    { role: 'user', parts: [{ text: '' }] },
  ]);
  const url = 'https://example.com/a.png';
  const data = { type: 'base64', media_type: 'image/png', data: 'aaaa' } as const;
  const content = [
    { type: 'image', source: data },
    { type: 'image', source: { type: 'url', url } },
  ] as const;
  const [, , returned] = objectsOf(
    written({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
      ],
    }),
  );
  // An address has no place inside of what a function returned.
  const parts = [{ inlineData: { mimeType: 'image/png', data: 'aaaa' } }];
  assert.deepEqual(returned?.parts, [
    { functionResponse: { id: 'a', name: 'look', response: { output: '' }, parts } },
    { text: 'Returned by tool call a:' },
    { fileData: { mimeType: 'image/png', fileUri: url } },
  ]);
  const source = {
    type: 'base64',
    media_type: 'text/plain',
    data: Buffer.from('Hi').toString('base64'),
  } as const;
  const document = { type: 'document', source, title: 'a.txt' } as const;
  assert.deepEqual(written({ messages: [{ role: 'user', content: [document] }] }), [
    { role: 'user', parts: [{ text: 'a.txt\n\nHi' }] },
  ]);
});

test('a picture at an address is a picture, and only the end of a path tells a type', () => {
  const typeOf = (type: 'image' | 'document', url: string) => {
    const block = { type, source: { type: 'url', url } } as const;
    const { body } = gemini.encodeRequest({ model: 'm', messages: [{ role: 'user', content: [block] }] });
    const [content] = objectsOf(parseBody(body).contents);
    const [part] = objectsOf(content?.parts);
    return objectOf(part?.fileData)?.mimeType;
  };
  assert.equal(typeOf('image', 'https://example.com/a.webp?size=large#top'), 'image/webp');
  for (const url of [
    'http://a.md',
    'http://a.md?b',
    'https://example.com/a.md',
    'https://example.com/a?b.pdf',
  ])
    assert.equal(typeOf('image', url), 'image/jpeg', url);
  assert.equal(typeOf('document', 'https://example.com/a.md'), 'text/markdown');
  for (const url of ['http://a.md', 'https://example.com/a?b.csv', 'https://example.com/a#b.csv'])
    assert.equal(typeOf('document', url), 'application/pdf', url);
});

test('signatures go back to their model, and calls of others say that they have none', () => {
  const { answer } = replay(stream);
  const request = (model: string): ChatRequest => ({
    model,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: answer?.content ?? [] },
    ],
  });
  const signatures = (model: string) => {
    const [, turn] = objectsOf(parseBody(gemini.encodeRequest(request(model)).body).contents);
    return objectsOf(turn?.parts).flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
  };
  assert.deepEqual(signatures('gemini-3-flash-preview'), ['dGV4dA==', 'Y2FsbA==']);
  assert.deepEqual(signatures('gemini-2.5-flash'), []);
  assert.deepEqual(signatures('gemini-3-pro-preview'), ['skip_thought_signature_validator']);
});

test('an error tells when to come again where that is within a minute', () => {
  const detailsOf = (retryAfterSeconds: number) => {
    const error = new GatewayError('tier_cap_reached', 'used up', { retryAfterSeconds });
    const body = gemini.errorBody?.({ error: { code: 'tier_cap_reached', message: 'used up' } }, error);
    return JSON.stringify(body);
  };
  assert.match(detailsOf(60), /"retryDelay":"60s"/);
  assert.doesNotMatch(detailsOf(61), /retryDelay/);
});

test('where the call that was signed is not shown, the next one says that it has no signature', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'find', input: {} }) as const;
  const signed = toSignatureBlock({ model: 'gemini-3-pro', signature: 'Y2FsbA==', on: { call: 'a' } });
  const signatures = (...content: Answer['content']) => {
    const answer: Answer = {
      id: 'r1',
      type: 'message',
      role: 'assistant',
      model: 'gemini-3-pro',
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {},
    };
    const asked = clientRequestFrom(gemini, { contents: [] });
    const { candidates } = JSON.parse(
      encodeEvents(gemini.replyEncoder('json', asked), answerToEvents(answer)),
    );
    return objectsOf(candidates[0].content.parts).map(({ thoughtSignature }) => thoughtSignature);
  };
  assert.deepEqual(signatures(signed, call('a'), call('b')), ['Y2FsbA==', undefined]);
  assert.deepEqual(signatures(signed, call('b'), call('c')), ['skip_thought_signature_validator', undefined]);
});
