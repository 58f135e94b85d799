import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answeringDialects, dialects } from './fuzz/dialects.ts';
import { framed, typeOf } from './fuzz/hostile-answer.ts';
import { faultIn, faultLeftIn } from './fuzz/judge.ts';
import { Stage } from './fuzz/stage.ts';

/** What providers said, each of which kept a slot and a hold for ever, or could have. */
const said: Readonly<Record<string, readonly object[]>> = {
  'bedrock-converse': [
    { output: null },
    { output: { message: { content: {} } } },
    { output: { message: { content: [null, 7, {}, { text: 5 }, { toolUse: 5 }] } } },
    { output: { message: { content: [{ toolUse: { toolUseId: 5, name: {}, input: [] } }] } } },
    { output: { message: { content: [{ toolUse: { toolUseId: 'a', name: 'b', input: 'c' } }] } } },
    { output: { message: { content: [{ reasoningContent: { reasoningText: 5, redactedContent: {} } }] } } },
    { output: { message: { content: [] } }, stopReason: 'malformed_tool_use' },
    { stopReason: { a: 1 } },
    { usage: { inputTokens: -5, outputTokens: 1e308, cacheDetails: 7 } },
    {
      usage: { inputTokens: '12', outputTokens: null, cacheDetails: [null, { ttl: '1h', inputTokens: 'x' }] },
    },
    { usage: [] },
  ],
  'anthropic-messages': [
    { model: null },
    { model: 7 },
    { model: { a: 1 } },
    { id: { toString: 1 } },
    { usage: [] },
    { usage: 'much' },
    { usage: { input_tokens: '12', output_tokens: { a: 1 } } },
    { usage: { input_tokens: -5, output_tokens: 1e308 } },
    { usage: { input_tokens: 10, output_tokens: 5, iterations: [{ type: 'message', model: 7 }, null] } },
    { usage: { input_tokens: 10, output_tokens: 5, service_tier: { a: 1 }, server_tool_use: 3 } },
    { content: [{ type: 'text', text: null }] },
    { content: [{ type: 'text', text: { a: 1 } }], usage: {} },
    { content: [{ type: { toString: 1 } }, null, 7], usage: {} },
    { content: [{ type: 'tool_use', id: 7, name: null }], usage: {} },
    { content: [{ type: 'thinking', thinking: 7, signature: {} }], usage: {} },
    { content: {} },
    { stop_reason: { a: 1 } },
    { type: 'error', error: { type: 'toString', message: 5 } },
  ],
  'openai-chat': [
    { model: null },
    { model: ['gpt-5'] },
    { id: 5 },
    { choices: {} },
    { choices: [null] },
    { choices: [{ message: null }] },
    { choices: [{ message: { content: 5, tool_calls: {} } }], usage: null },
    { choices: [{ message: { tool_calls: [{ id: 5, function: { name: 'a', arguments: 5 } }] } }] },
    { usage: [] },
    { usage: { prompt_tokens: 'many', completion_tokens: -1, total_tokens: 1e300 } },
    { usage: { prompt_tokens: 1, completion_tokens: 1, cost: 1e308 } },
    { usage: { prompt_tokens: 1, completion_tokens: 1, cost: -1 } },
    { error: { code: { toString: 1 }, type: { valueOf: 1 } } },
    { error: { code: 'toString', message: null } },
    { error: [] },
  ],
  'openai-responses': [
    { model: 5 },
    { id: null },
    { output: {} },
    { output: [null, { type: 'message', content: {} }] },
    { output: [{ type: 'message', content: [{ type: 'output_text', text: 5 }] }] },
    { output: [{ type: 'function_call', call_id: 5, name: {}, arguments: { a: 1 } }] },
    { output: [{ type: 'reasoning', summary: 5, encrypted_content: {} }] },
    { usage: { input_tokens: {}, output_tokens: null, total_tokens: 'x' } },
    { status: 'failed', error: { code: { toString: 1 } } },
    { status: 'incomplete', incomplete_details: 5 },
  ],
  gemini: [
    { modelVersion: 5, responseId: {} },
    { candidates: {} },
    { candidates: [null, 7] },
    { candidates: [{ content: null, finishReason: 7 }] },
    { candidates: [{ content: { parts: {} }, index: 'a' }] },
    { candidates: [{ content: { parts: [null, { text: 5 }, { functionCall: { name: 5 } }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: { name: 'a', args: 'x', id: 5 } }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: { name: 'a' }, thoughtSignature: {} }] } }] },
    { candidates: [{ content: { parts: [{ inlineData: 5 }, { executableCode: [] }, {}] } }] },
    { candidates: [{ groundingMetadata: { webSearchQueries: { length: 1e9 } }, urlContextMetadata: 5 }] },
    { usageMetadata: [] },
    { usageMetadata: { promptTokenCount: 'x', candidatesTokenCount: -1, thoughtsTokenCount: 1e308 } },
    { usageMetadata: { promptTokenCount: 1, cachedContentTokenCount: 1e9, promptTokensDetails: {} } },
    { promptFeedback: { blockReason: {} }, candidates: null },
    { error: { code: { toString: 1 }, status: 5, details: {} } },
    { error: [] },
  ],
};

/** And frame by frame: each takes the place of the second. */
const streamed: Readonly<Record<string, readonly object[]>> = {
  'bedrock-converse': [
    { contentBlockIndex: 4294967294, delta: { text: {} } },
    { contentBlockIndex: 'a', delta: { toolUse: { input: '{}' } } },
    { contentBlockIndex: 0, delta: { reasoningContent: { signature: 5, redactedContent: 'x' } } },
    { contentBlockIndex: 0, delta: { text: 'x', toolUse: { input: 'y' } } },
    { contentBlockIndex: 0, delta: null },
    { start: { toolUse: { toolUseId: 'a', name: 'b' } }, stopReason: 7, usage: 7 },
  ],
  'anthropic-messages': [
    { type: 'message_start', message: { model: null, content: 'x', usage: { input_tokens: 'a' } } },
    { type: 'content_block_start', index: 4294967294, content_block: { type: 'text', text: 5 } },
    { type: 'content_block_start', index: 'a', content_block: { type: 'tool_use' } },
    { type: 'content_block_delta', index: 0, delta: null },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: { a: 1 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta' } },
    { type: 'message_delta', delta: { stop_reason: 7, stop_details: 7 }, usage: [] },
    { type: 'message_delta', delta: null },
    { type: { toString: 1 } },
  ],
  'openai-chat': [
    { choices: {} },
    { choices: [{ index: 0, delta: null }] },
    { choices: [{ index: 0, delta: { content: {}, tool_calls: [{ function: { arguments: 5 } }] } }] },
    { choices: [{ index: { a: 1 }, delta: {}, finish_reason: 7 }] },
    { usage: { prompt_tokens: -1, completion_tokens: 'x' }, choices: [] },
    { error: { code: { toString: 1 } } },
  ],
  'openai-responses': [
    { type: 'response.created', response: null },
    { type: 'response.output_item.added', output_index: {}, item: { type: 'function_call', name: 5 } },
    { type: 'response.output_text.delta', output_index: 0, delta: { a: 1 } },
    { type: 'response.completed', response: { output: {}, usage: { input_tokens: 'x' } } },
    { type: 'error', code: { toString: 1 } },
  ],
  gemini: [
    { candidates: {}, usageMetadata: 'x' },
    { candidates: [{ content: { parts: [{ text: {} }, { functionCall: { name: {}, args: 5 } }] } }] },
    { candidates: [{ content: { parts: [{ text: '', thoughtSignature: 5 }] }, finishReason: {} }] },
    { promptFeedback: 5, responseId: [] },
    { error: { code: 'toString', status: { a: 1 } } },
  ],
};

/** Deeper than there is stack for who would write it again. */
const deep = `"content":[{"type":"tool_use","id":"a","name":"b","input":${'['.repeat(30_000)}${']'.repeat(30_000)}}],"usage":{}`;

const stage = await Stage.start(1);
after(() => stage.close());
let number = 0;

for (const provider of answeringDialects)
  for (const client of dialects)
    test(`a ${provider.name} provider’s odd answers to a ${client.name} client leave nothing behind`, async () => {
      const wholes = (said[provider.name] ?? []).map((odd) => ({ ...provider.whole, ...odd }));
      for (const whole of wholes) await check(Buffer.from(JSON.stringify(whole)), false);
      await check(
        Buffer.from(JSON.stringify({ ...provider.whole, deep: 0 }).replace('"deep":0', deep)),
        false,
      );
      for (const frame of streamed[provider.name] ?? []) {
        const event = provider.frames[1]?.event ?? '';
        const frames = provider.frames.toSpliced(1, 1, { event, data: frame });
        const isNamed = provider.framed !== undefined;
        const texts = frames.map(
          ({ event: name, data }) =>
            `${isNamed ? `event: ${name}\n` : ''}data: ${data === undefined ? '[DONE]' : JSON.stringify(data)}\n\n`,
        );
        await check(framed(provider, texts.join('')), true);
      }

      async function check(body: Buffer, isStream: boolean): Promise<void> {
        const type = typeOf(provider, isStream);
        const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
        const [model = ''] = provider.models;
        const asked = { ...client.requests.at(-1), model, stream: isStream };
        const played = {
          ...({ side: 'providers', number: ++number, client, provider, streamed: isStream } as const),
          ...{ headers: [], path: client.path(model, isStream) },
          ...{ body: JSON.stringify(asked), leaves: false },
          answer: { steps: [head, body], cut: false, body },
        };
        const outcome = await stage.play(played);
        assert.ok(outcome.wasAsked);
        assert.equal(faultIn(played, outcome), undefined, body.toString());
        assert.equal(await faultLeftIn(stage, [outcome]), undefined, body.toString());
      }
    });
