import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExact } from '../src/lib/json.ts';
import { numberOf, objectsOf } from '../src/wire/json-values.ts';
import { at } from './support/at.ts';
import { clientDialects } from './support/client-dialects.ts';
import { requestJson } from './support/http-client.ts';
import { startGatewayOfFile } from './support/scripted-gateway.ts';
import {
  chatStream,
  geminiStream,
  interactionsStream,
  messagesStream,
  responsesStream,
} from './support/wire/fixtures.ts';

const { fake, weir } = await startGatewayOfFile();
/** What a whole answer says. */
interface Reading {
  readonly text: unknown;
  readonly thinking: unknown;
  readonly calls: readonly unknown[];
  readonly stop: unknown;
  readonly usage: Readonly<Record<'input' | 'cached' | 'written' | 'output', number>>;
}

const text = 'Grüße 🌊 aus 東京';
const weather = { id: 'toolu_1', name: 'weather', input: '{"city":"Tokyo","id":12345678901234567890}' };

/** Providers with an answer that has everything in it: thinking, text in several scripts, calls, usage in detail. */
const providers = [
  {
    name: 'Messages',
    model: 'claude-opus-4-8',
    stream: messagesStream,
    says: {
      text,
      thinking: 'Hmm … weather.',
      calls: [weather, { id: 'toolu_2', name: 'now', input: '{}' }],
      stop: 'calls',
      usage: { input: 42, cached: 0, written: 30, output: 44 },
    },
  },
  {
    name: 'Chat Completions',
    model: 'lmstudio/some-model',
    stream: chatStream,
    says: {
      text,
      thinking: 'Hmm … weather.',
      calls: [
        { ...weather, id: 'call_a' },
        { id: 'call_b', name: 'now', input: '{"zone":"JST"}' },
      ],
      stop: 'calls',
      usage: { input: 142, cached: 100, written: 30, output: 44 },
    },
  },
  {
    name: 'Responses',
    model: 'gpt-5-codex',
    stream: responsesStream,
    says: {
      text,
      thinking: 'Hmm …\n\nweather.',
      calls: [
        { id: 'call_a', name: 'weather', input: '{"city":"Tokyo"}' },
        { id: 'call_b', name: 'patch', input: '{"input":"*** Begin"}' },
      ],
      stop: 'calls',
      usage: { input: 142, cached: 100, written: 0, output: 44 },
    },
  },
  {
    name: 'Gemini',
    model: 'gemini-3-flash-preview',
    stream: geminiStream,
    says: {
      text,
      thinking: 'Hmm … weather.',
      calls: [
        { ...weather, id: 'call_gemini-1_0' },
        { id: 'call_b', name: 'now', input: '{}' },
      ],
      stop: 'calls',
      usage: { input: 142, cached: 100, written: 0, output: 44 },
    },
  },
  {
    name: 'Interactions',
    model: 'gemini-omni-1.1-flash',
    stream: interactionsStream,
    says: {
      text,
      thinking: 'Hmm … weather.',
      calls: [
        { ...weather, id: 'call_a' },
        { id: 'call_b', name: 'now', input: '{}' },
      ],
      stop: 'calls',
      usage: { input: 142, cached: 100, written: 0, output: 44 },
    },
  },
] as const;

const readers: Readonly<Record<string, (answer: unknown) => Reading>> = {
  Messages(answer) {
    const blocks = objectsOf(at(answer, 'content'));
    const count = (name: string) => numberOf(at(answer, 'usage', name)) ?? 0;
    const cached = count('cache_read_input_tokens');
    const written = count('cache_creation_input_tokens');
    return {
      text: blocks.map((block) => block.text ?? '').join(''),
      thinking: blocks.map((block) => block.thinking ?? '').join(''),
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) })),
      stop: at(answer, 'stop_reason') === 'tool_use' ? 'calls' : at(answer, 'stop_reason'),
      usage: {
        input: count('input_tokens') + cached + written,
        cached,
        written,
        output: count('output_tokens'),
      },
    };
  },
  'Chat Completions'(answer) {
    const message = at(answer, 'choices', 0, 'message');
    const finish = at(answer, 'choices', 0, 'finish_reason');
    return {
      text: at(message, 'content'),
      thinking: at(message, 'reasoning_content'),
      calls: objectsOf(at(message, 'tool_calls')).map((call) => ({
        id: call.id,
        name: at(call, 'function', 'name'),
        input: at(call, 'function', 'arguments'),
      })),
      stop: finish === 'tool_calls' ? 'calls' : finish,
      usage: {
        input: numberOf(at(answer, 'usage', 'prompt_tokens')) ?? 0,
        cached: numberOf(at(answer, 'usage', 'prompt_tokens_details', 'cached_tokens')) ?? 0,
        written: numberOf(at(answer, 'usage', 'prompt_tokens_details', 'cache_write_tokens')) ?? 0,
        output: numberOf(at(answer, 'usage', 'completion_tokens')) ?? 0,
      },
    };
  },
  Responses(answer) {
    const output = objectsOf(at(answer, 'output'));
    const parts = (type: string, field: string) =>
      output.flatMap((item) => (item.type === type ? objectsOf(item[field]) : [])).map((part) => part.text);
    const calls = output.filter(({ type }) => type === 'function_call');
    return {
      text: parts('message', 'content').join(''),
      thinking: parts('reasoning', 'summary').join(''),
      calls: calls.map(({ call_id, name, arguments: input }) => ({ id: call_id, name, input })),
      stop: at(answer, 'status') === 'completed' && calls.length > 0 ? 'calls' : at(answer, 'status'),
      usage: {
        input: numberOf(at(answer, 'usage', 'input_tokens')) ?? 0,
        cached: numberOf(at(answer, 'usage', 'input_tokens_details', 'cached_tokens')) ?? 0,
        written: numberOf(at(answer, 'usage', 'input_tokens_details', 'cache_write_tokens')) ?? 0,
        output: numberOf(at(answer, 'usage', 'output_tokens')) ?? 0,
      },
    };
  },
  Gemini(answer) {
    const parts = objectsOf(at(answer, 'candidates', 0, 'content', 'parts'));
    const calls = parts.flatMap((part) => objectsOf([part.functionCall]));
    const finish = at(answer, 'candidates', 0, 'finishReason');
    const count = (name: string) => numberOf(at(answer, 'usageMetadata', name)) ?? 0;
    const texts = (thought: boolean) =>
      parts.filter((part) => (part.thought ?? false) === thought).map((part) => part.text ?? '');
    return {
      text: texts(false).join(''),
      thinking: texts(true).join(''),
      calls: calls.map(({ id, name, args }) => ({ id, name, input: JSON.stringify(args) })),
      stop: finish === 'STOP' && calls.length > 0 ? 'calls' : finish,
      usage: {
        input: count('promptTokenCount'),
        cached: count('cachedContentTokenCount'),
        written: 0,
        output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
      },
    };
  },
  Interactions(answer) {
    const steps = objectsOf(at(answer, 'steps'));
    const calls = steps.filter(({ type }) => type === 'function_call');
    const count = (name: string) => numberOf(at(answer, 'usage', name)) ?? 0;
    const texts = (field: string) => steps.flatMap((step) => objectsOf(step[field])).map((part) => part.text);
    return {
      text: texts('content').join(''),
      thinking: texts('summary').join(''),
      calls: calls.map(({ id, name, arguments: args }) => ({ id, name, input: JSON.stringify(args) })),
      stop: at(answer, 'status') === 'requires_action' ? 'calls' : at(answer, 'status'),
      usage: {
        input: count('total_input_tokens'),
        cached: count('total_cached_tokens'),
        written: 0,
        output: count('total_output_tokens') + count('total_thought_tokens'),
      },
    };
  },
};

/** Google speaks both of its formats. */
function isTranslated(client: string, provider: string): boolean {
  return client !== provider && !(client === 'Interactions' && provider === 'Gemini');
}

for (const provider of providers)
  for (const client of clientDialects(weir.url).filter(({ name }) => isTranslated(name, provider.name))) {
    test(`a ${client.name} client reads everything that a ${provider.name} provider says`, async () => {
      fake.answerWith({ chunks: [Buffer.from(provider.stream)] });
      const conversation = [{ role: 'user', content: 'Hello' }];
      const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
      const asked = { model: provider.model, max_tokens: 100, messages: conversation, input: conversation };
      const interaction = { model: provider.model, input: 'Hello' };
      const body = { Gemini: { contents }, Interactions: interaction }[client.name] ?? asked;
      const path = client.path(provider.model, false);
      const { text: json, status } = await requestJson(weir.url + path, { body });
      assert.equal(status, 200);
      const read = readers[client.name]?.(parseExact(json));
      // Google's API has no word for what is written to a cache.
      const { usage } = provider.says;
      const isGoogle = client.name === 'Gemini' || client.name === 'Interactions';
      const told = isGoogle ? { ...usage, written: 0 } : usage;
      assert.deepEqual(read, { ...provider.says, usage: told });
    });

    test(`a ${client.name} client's SDK reads the same in a stream of a ${provider.name} provider`, async () => {
      fake.answerWith({ chunks: [Buffer.from(provider.stream)] });
      const told = await client.ask({ model: provider.model, stream: true });
      assert.equal(told.text, text);
      assert.deepEqual(
        told.calls.map(({ id, name, json }) => ({ id, name, input: JSON.parse(json) })),
        provider.says.calls.map(({ id, name, input }) => ({ id, name, input: JSON.parse(input) })),
      );
    });
  }

test('pages that a model cited are annotations for clients of OpenAI', async () => {
  fake.answerWith({ chunks: [Buffer.from(messagesStream)] });
  const conversation = [{ role: 'user', content: 'Hello' }];
  const body = { model: 'claude-opus-4-8', messages: conversation, input: conversation };
  const cited = { url: 'https://a.example', title: 'A', start_index: 0, end_index: text.length };
  const chat = await requestJson(`${weir.url}/v1/chat/completions`, { body });
  assert.deepEqual(at(chat.json, 'choices', 0, 'message', 'annotations', 0, 'url_citation'), cited);
  const responses = await requestJson(`${weir.url}/v1/responses`, { body });
  assert.deepEqual(at(responses.json, 'output', 1, 'content', 0, 'annotations', 0), {
    type: 'url_citation',
    ...cited,
  });
});
