import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { FakeUpstream, type Script } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at, fieldsOf } from './support/at.ts';
import { requestJson } from './support/http-client.ts';

const names = ['GROQ', 'CEREBRAS', 'MISTRAL', 'DEEPSEEK', 'OPENROUTER', 'OPENAI', 'XAI', 'OLLAMA'];
const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  ...Object.fromEntries(names.map((name) => [`WEIR_${name}_BASE_URL`, `${fake.url}/v1`])),
  ...Object.fromEntries(names.map((name) => [`${name}_API_KEY`, 'any'])),
  WEIR_LMSTUDIO_BASE_URL: `${fake.url}/v1`,
});
const anthropic = new Anthropic({ baseURL: weir.url, apiKey: 'any' });
const openai = new OpenAI({ baseURL: `${weir.url}/v1`, apiKey: 'any' });

beforeEach(() => {
  fake.requests.length = 0;
});
after(async () => {
  await weir.close();
  await fake.close();
});

const parts = [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
  { type: 'text', text: 'Hi.' },
];

interface Reasoner {
  readonly model: string;
  /** The message that it answers with, and that it wants to have back. */
  readonly says: object;
  readonly wants: object;
}

const reasoners: readonly Reasoner[] = [
  ...['groq/openai/gpt-oss-120b', 'groq/qwen/qwen3-32b', 'cerebras/gpt-oss-120b', 'cerebras/zai-glm-4.7']
    .concat('openrouter/openai/gpt-oss-120b', 'ollama/gpt-oss:20b')
    .map((model) => ({ model, says: { content: 'Hi.', reasoning: 'Hm.' } }))
    .map(({ model, says }) => ({ model, says, wants: says })),
  ...['magistral-medium-latest', 'mistral-small-latest'].map((model) => ({
    model,
    says: { content: parts },
    wants: { content: parts },
  })),
  ...['deepseek-reasoner', 'xai/grok-3-mini', 'lmstudio/some-model'].map((model) => ({
    model,
    says: { content: 'Hi.', reasoning_content: 'Hm.' },
    wants: { content: 'Hi.', reasoning_content: 'Hm.' },
  })),
];

function answering(says: object, streamed: boolean): Script {
  const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
  if (!streamed)
    return {
      body: {
        ...{ ...head, object: 'chat.completion' },
        choices: [{ index: 0, message: { role: 'assistant', ...says }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
      },
    };
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const { content, ...beside } = fieldsOf(says);
  const pieces: readonly object[] = Array.isArray(content)
    ? content.map((part: unknown) => ({ content: [part] }))
    : [beside, { content }];
  return {
    chunks: [...pieces.map((piece) => chunk(piece, null)), chunk({}, 'stop'), 'data: [DONE]\n\n'],
  };
}

for (const streamed of [false, true])
  describe(`what a model thought, ${streamed ? 'streamed' : 'told in one piece'}, comes back to it in its own place`, () => {
    for (const { model, says, wants } of reasoners) {
      test(`from a Messages client to ${model}`, async () => {
        fake.answerWith(answering(says, streamed));
        const user = { role: 'user', content: 'Hello' } as const;
        const asked = { model, max_tokens: 100, messages: [user] };
        const first = await (streamed
          ? anthropic.messages.stream(asked).finalMessage()
          : anthropic.messages.create(asked));
        assert.deepEqual(
          first.content.map((block) => ('thinking' in block ? block.thinking : at(block, 'text'))),
          ['Hm.', 'Hi.'],
        );
        fake.answerWith(answering(says, false));
        const assistant = { role: 'assistant', content: first.content } as const;
        await anthropic.messages.create({ ...asked, messages: [user, assistant, user] });
        assert.deepEqual(at(fake.last.json, 'messages', 1), { role: 'assistant', ...wants });
      });

      if (model.startsWith('groq/') || model.startsWith('openrouter/') || model.startsWith('xai/')) continue;

      test(`from a Responses client to ${model}`, async () => {
        fake.answerWith(answering(says, streamed));
        const user = { role: 'user', content: 'Hello' } as const;
        const asked = { model, input: [user], store: false };
        const first = await (streamed
          ? openai.responses.stream(asked).finalResponse()
          : openai.responses.create(asked));
        assert.deepEqual(
          first.output.map(({ type }) => type),
          ['reasoning', 'message'],
        );
        fake.answerWith(answering(says, false));
        const { output } = first;
        await requestJson(`${weir.url}/v1/responses`, { body: { ...asked, input: [user, ...output, user] } });
        assert.deepEqual(at(fake.last.json, 'messages', 1), { role: 'assistant', ...wants });
      });
    }
  });

test('a Chat Completions client gives its provider back what it got, byte for byte', async () => {
  for (const { model, says } of reasoners) {
    fake.answerWith(answering(says, false));
    const named = model.replace(/^(groq|cerebras|openrouter|ollama|xai|lmstudio)\//, '');
    const messages = [{ role: 'user', content: 'Hello' }];
    const asked = (more: readonly unknown[]) =>
      `{"messages": ${JSON.stringify([...messages, ...more])}, "model": ${JSON.stringify(model)}}`;
    const url = `${weir.url}/v1/chat/completions`;
    const first = await requestJson(url, { body: asked([]) });
    assert.deepEqual(first.json, answering(says, false).body);
    const second = asked([at(first.json, 'choices', 0, 'message'), ...messages]);
    await requestJson(url, { body: second });
    assert.equal(fake.last.bytes.toString(), second.replace(JSON.stringify(model), JSON.stringify(named)));
  }
});

describe('thoughts go nowhere', () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: '' };
  const models = ['gpt-4o', 'groq/llama-3.3-70b-versatile', 'cerebras/llama3.1-8b', 'mistral-large-latest'];
  for (const model of [...models, 'xai/grok-4.20-0309-non-reasoning'])
    test(`with ${model}, which doesn't take them`, async () => {
      fake.answerWith(answering({ content: 'Hi.' }, false));
      const user = { role: 'user', content: 'Hello' };
      const assistant = { role: 'assistant', content: [thinking, { type: 'text', text: 'Hi.' }] };
      const { headers } = await requestJson(`${weir.url}/v1/messages`, {
        body: { model, max_tokens: 100, messages: [user, assistant, user] },
      });
      assert.equal(headers.get('x-weir-dropped'), 'messages[].content[].thinking');
      assert.deepEqual(at(fake.last.json, 'messages', 1), { role: 'assistant', content: 'Hi.' });
    });
});
