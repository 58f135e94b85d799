import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { JsonObject } from '../src/lib/json.ts';
import { conversationDialects } from './support/conversation-dialects.ts';
import { startGatewayOfFile } from './support/scripted-gateway.ts';

const { fake, weir } = await startGatewayOfFile();
beforeEach(() => {
  fake.answerWith(({ url }) => {
    const dialect = conversationDialects.find(({ speaks }) => speaks(url)) ?? assert.fail(url);
    return { body: dialect.answer({ text: 'Yes.', calls: [] }) };
  });
});

const headers = {
  'x-weir-pipeline': 'guardrails?pii=redact,prompt-optimizer?holdout=0',
  'x-weir-trace': 'on',
};
const anthropic = new Anthropic({ baseURL: weir.url, apiKey: 'any', maxRetries: 0, defaultHeaders: headers });
const openai = new OpenAI({
  baseURL: `${weir.url}/v1`,
  apiKey: 'any',
  maxRetries: 0,
  defaultHeaders: headers,
});
const instructions = 'You are the assistant of a shop that sells lamps. '.repeat(100);

const turns = [
  { role: 'user' as const, content: 'My address is jane@example.com. Do you have lamps?' },
  { role: 'assistant' as const, content: 'Yes.' },
  { role: 'user' as const, content: 'Which ones?' },
];

/** The last request that a provider got. */
function lastSent(): JsonObject {
  return fake.requests.at(-1)?.json ?? assert.fail();
}

function countMarkers(sent: JsonObject): number {
  return JSON.stringify(sent).split('"cache_control"').length - 1;
}

test('a client without markers gets them where they pay, on what is sent', async () => {
  const ask = (count: number) =>
    anthropic.messages
      .create({
        model: 'claude-sonnet-4-5',
        max_tokens: 10,
        system: instructions,
        messages: turns.slice(0, count),
      })
      .withResponse();
  await ask(1);
  assert.equal(countMarkers(lastSent()), 0);
  const { response } = await ask(3);
  assert.equal(countMarkers(lastSent()), 3);
  assert.match(response.headers.get('x-weir-modules') ?? '', /prompt-optimizer;[^,]*markers=3/);
  assert.doesNotMatch(JSON.stringify(lastSent()), /jane@/);
  const stream = anthropic.messages.stream({
    model: 'claude-sonnet-4-5',
    max_tokens: 10,
    system: instructions,
    messages: [...turns, { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Really?' }],
  });
  await stream.finalMessage().catch(() => undefined);
  assert.equal(countMarkers(lastSent()), 3);
});

test('a client of another format gets them, too', async () => {
  const system = { role: 'system' as const, content: `Chat. ${instructions}` };
  const ask = (count: number) =>
    openai.chat.completions.create({
      model: 'claude-sonnet-4-5',
      messages: [system, ...turns.slice(0, count)],
    });
  await ask(1);
  await ask(3);
  assert.equal(countMarkers(lastSent()), 3);
});

test('OpenAI gets a key for its cache, the same in all calls of a conversation', async () => {
  const keys = new Set<unknown>();
  for (const count of [1, 3]) {
    const input = turns.slice(0, count);
    await openai.responses.create({ model: 'gpt-5', instructions, input });
    keys.add(lastSent().prompt_cache_key);
    await openai.chat.completions.create({
      model: 'gpt-5',
      messages: [{ role: 'system', content: instructions }, ...input],
    });
    assert.equal(typeof lastSent().prompt_cache_key, 'string');
  }
  assert.equal(keys.size, 1);
  assert.ok(!keys.has(undefined));
  assert.equal(countMarkers(lastSent()), 0);
});
