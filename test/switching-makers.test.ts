import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../src/lib/json.ts';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { objectOf, objectsOf } from '../src/wire/json-values.ts';
import { type ConversationDialect, conversationDialects, framesIn } from './support/conversation-dialects.ts';
import { startGatewayBefore } from './support/scripted-gateway.ts';

const fake = await FakeUpstream.start();
const weir = await startGatewayBefore(fake.url, { WEIR_LMSTUDIO_BASE_URL: `${fake.url}/v1` });
after(async () => {
  await weir.close();
  await fake.close();
});

/** Models that think before they call a tool, each in its own format. */
const makers: readonly { readonly model: string; readonly thinks: JsonObject }[] = [
  {
    model: 'claude-sonnet-4-5',
    thinks: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
      content: [
        { type: 'thinking', thinking: 'The map knows.', signature: 'c2lnbmVkIGJ5IENsYXVkZQ==' },
        { type: 'text', text: 'I look at the map.' },
        { type: 'tool_use', id: 'toolu_1', name: 'map', input: { id: 12345678901 } },
      ],
      ...{ stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 } },
    },
  },
  {
    model: 'gpt-5-codex',
    thinks: {
      ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5-codex', status: 'completed' },
      output: [
        {
          id: 'rs_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e77',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'The map knows.' }],
          encrypted_content: 'Z3B0IGVuY3J5cHRlZA==',
        },
        {
          ...{ id: 'msg_68af', type: 'message', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'I look at the map.', annotations: [] }],
        },
        {
          ...{ id: 'fc_68af', type: 'function_call', status: 'completed' },
          ...{ call_id: 'call_1', name: 'map', arguments: '{"id":12345678901}' },
        },
      ],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    },
  },
  {
    model: 'gemini-3-flash-preview',
    thinks: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'The map knows.', thought: true },
              { text: 'I look at the map.' },
              {
                functionCall: { name: 'map', args: { id: 12345678901 } },
                thoughtSignature: 'c2lnbmVkIGJ5IEdvb2dsZQ==',
              },
            ],
          },
          ...{ finishReason: 'STOP', index: 0 },
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      ...{ modelVersion: 'gemini-3-flash-preview', responseId: 'g1' },
    },
  },
  {
    model: 'lmstudio/some-model',
    thinks: {
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'some-model' },
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'I look at the map.',
            reasoning_content: 'The map knows.',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'map', arguments: '{"id":12345678901}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    },
  },
];

/** A client's own maker, and what it would not accept in a request. */
const own: Readonly<
  Record<string, { readonly model: string; faults(body: JsonObject): readonly unknown[] }>
> = {
  Messages: {
    model: 'claude-sonnet-4-5',
    faults: ({ messages }) =>
      objectsOf(messages)
        .flatMap(({ content }) => objectsOf(content))
        .filter(({ type, signature, data }) =>
          type === 'thinking'
            ? signature !== 'c2lnbmVkIGJ5IENsYXVkZQ=='
            : type === 'redacted_thinking' || data,
        ),
  },
  'Chat Completions': {
    model: 'gpt-4o-mini',
    faults: ({ messages }) =>
      objectsOf(messages).filter(({ reasoning_details: details }) => isSealed(details)),
  },
  Responses: {
    model: 'gpt-5-mini',
    faults: ({ input }) => objectsOf(input).filter(({ type }) => type === 'reasoning'),
  },
  Gemini: {
    model: 'gemini-3.1-pro-preview',
    faults: ({ contents }) =>
      objectsOf(contents)
        .flatMap(({ parts }) => objectsOf(parts))
        .filter(({ functionCall, thoughtSignature }) =>
          functionCall === undefined
            ? thoughtSignature !== undefined
            : thoughtSignature !== 'skip_thought_signature_validator',
        ),
  },
  Interactions: {
    model: 'gemini-3.1-pro-preview',
    faults: ({ input }) =>
      objectsOf(input).filter(
        ({ type, signature }) =>
          type === 'thought' && !Buffer.from(String(signature), 'base64').toString().startsWith('signed '),
      ),
  },
};

function isSealed(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('weir.sealed');
}

async function ask(
  url: string,
  client: ConversationDialect,
  asked: JsonObject,
): Promise<{ readonly answer: JsonObject; readonly dropped: string | null }> {
  const { path, body } = client.sent(asked);
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const answer = asked.stream === true ? client.told(framesIn(text)) : objectOf(JSON.parse(text));
  return { answer: answer ?? {}, dropped: response.headers.get('x-weir-dropped') };
}

describe('a conversation goes back to the own maker of its client', () => {
  for (const client of conversationDialects)
    for (const maker of makers) {
      const { model, faults } = own[client.name] ?? assert.fail();
      // Google speaks both of its formats.
      if (client.name === 'Interactions' && maker.model.startsWith('gemini-')) continue;
      for (const stream of [false, true])
        test(`${client.name}, after ${maker.model}${stream ? ', streamed' : ''}`, async () => {
          const answerOf = ({ url }: SeenRequest) => ({
            body: client.speaks(url) ? client.answer({ text: 'There.', calls: [] }) : maker.thinks,
          });
          fake.answerWith(() => ({ body: maker.thinks }));
          const opened = { ...client.opening('Where is the river?', ['map']), stream };
          const { answer } = await ask(weir.url, client, { ...opened, model: maker.model });
          const isOwn = client.speaks(fake.last.url);
          fake.answerWith(answerOf);
          const inLoop = client.goingOn(opened, answer, 'At home.');
          const back = await ask(weir.url, client, { ...inLoop, model });
          assert.ok(client.speaks(fake.last.url));
          const sent = fake.last.json;
          if (isOwn) return;
          assert.deepEqual(faults(sent), []);
          assert.ok(!isSealed(sent));
          for (const kept of ['Where is the river?', 'I look at the map.', '12345678901', 'At home.'])
            assert.ok(fake.last.bytes.includes(kept), kept);
          const later = client.goingOn(inLoop, back.answer, 'And the lake?');
          await ask(weir.url, client, { ...later, model });
          assert.deepEqual(faults(fake.last.json), []);
          assert.ok(fake.last.bytes.includes('There.'));
        });
    }
});

const loop: JsonObject = {
  model: 'claude-sonnet-4-5',
  max_tokens: 8000,
  thinking: { type: 'enabled', budget_tokens: 4000 },
  context_management: {
    edits: [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }],
  },
  messages: [
    { role: 'user', content: 'Where is the river?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'The map knows.', signature: '' },
        { type: 'tool_use', id: 'call_1', name: 'map', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'At home.' }] },
  ],
};

function sendMessages(body: JsonObject, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${weir.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('a loop that began without thinking of Claude goes on without a budget, and the client is told', async () => {
  fake.answerWith({ body: makers[0]?.thinks ?? {} });
  const response = await sendMessages(loop);
  assert.equal(response.headers.get('x-weir-dropped'), 'messages[].content[].thinking, thinking');
  assert.equal(fake.last.json.thinking, undefined);
  assert.deepEqual(fake.last.json.context_management, { edits: [{ type: 'clear_tool_uses_20250919' }] });
  await sendMessages({ ...loop, model: 'claude-opus-4-8' });
  assert.deepEqual(fake.last.json.thinking, { type: 'adaptive' });
  assert.deepEqual(fake.last.json.context_management, loop.context_management);
});

test('a message that only had foreign thinking disappears, and its words in other places stay', async () => {
  fake.answerWith({ body: makers[0]?.thinks ?? {} });
  const thought = { type: 'redacted_thinking', data: 'weir.sealed.gemini:{}' };
  const about = { role: 'user', content: 'What does weir.sealed.gemini:{} mean, and "signature":""?' };
  await sendMessages({ ...loop, messages: [about, { role: 'assistant', content: [thought] }, about] });
  assert.deepEqual(fake.last.json.messages, [about, about]);
});

test('a model of another maker behind the same API keeps its unsigned thinking', async () => {
  fake.answerWith({ body: makers[0]?.thinks ?? {} });
  const body = { ...loop, model: 'anthropic/glm-5' };
  await sendMessages(body);
  assert.deepEqual(fake.last.json, { ...body, model: 'glm-5' });
});

test('a request that a module edited is rid of foreign thinking as well', async () => {
  fake.answerWith({ body: makers[0]?.thinks ?? {} });
  await sendMessages(loop, { 'x-weir-pipeline': 'ipc?target=3000&keep_turns=2&holdout=0' });
  assert.ok(!fake.last.bytes.includes('The map knows.'));
});
