import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataFrames, replay, replayEverywhere } from '../../../test/support/wire/replay.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { openaiChat as wire } from './openai-chat.ts';

const model = 'google/gemini-3-pro-preview';
const detail = {
  type: 'reasoning.encrypted',
  data: 'b3BhcXVl',
  format: 'google-gemini-v1',
  id: 'call_1',
  index: 0,
};
const extra_content = { google: { thought_signature: 'c2lnbmVk' } };
const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' }, extra_content };
const head = { id: 'c', model: `${model}-20251117` };
const stream = dataFrames(
  { ...head, choices: [{ delta: { reasoning_details: [detail] } }] },
  { ...head, choices: [{ delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: 'tool_calls' }] },
  '[DONE]',
);
const message = { role: 'assistant', reasoning_details: [detail], tool_calls: [call] };
const whole = Buffer.from(JSON.stringify({ ...head, choices: [{ message, finish_reason: 'tool_calls' }] }));

const answers = [
  replayEverywhere({ wire, framing: 'sse', bytes: stream }).answer,
  replay({ wire, framing: 'json', bytes: whole }).answer,
];

function continued(asked: string, at: number): ChatRequest {
  const content = answers[at]?.content ?? [];
  return {
    model: asked,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content },
    ],
  };
}

for (const [at, framing] of ['streamed', 'whole'].entries()) {
  test(`what a provider wants back with a ${framing} answer comes back to the model that gave it`, () => {
    const { body, dropped } = wire.encodeRequest(continued(model, at));
    const { messages } = JSON.parse(Buffer.from(body).toString());
    assert.deepEqual(messages[1], {
      role: 'assistant',
      content: null,
      reasoning_details: [detail],
      tool_calls: [call],
    });
    assert.deepEqual(dropped, []);
  });

  test(`what belongs to a ${framing} answer is not shown to another model`, () => {
    const { body, dropped } = wire.encodeRequest(continued('mistral-large', at));
    assert.deepEqual(dropped, ['messages[].content[].thinking']);
    assert.doesNotMatch(Buffer.from(body).toString(), /b3BhcXVl|c2lnbmVk/);
    const claude = anthropicMessages.encodeRequest(continued('claude-opus-4-8', at));
    assert.deepEqual(claude.dropped, ['messages[].content[].redacted_thinking']);
    assert.doesNotMatch(Buffer.from(claude.body).toString(), /sealed/);
  });
}
