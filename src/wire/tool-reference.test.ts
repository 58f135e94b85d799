import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';

test('results of a tool search become names for providers without such results', () => {
  const found = ['WebFetch', 'mcp__rivers__level'].map((tool_name) => ({
    type: 'tool_reference',
    tool_name,
  }));
  const request = anthropicMessages.decodeRequest({
    model: 'm',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'Find tools.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'ToolSearch', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: found }] },
    ],
  });
  for (const wire of [openaiChat, openaiResponses]) {
    const { body, dropped } = wire.encodeRequest(request);
    const sent = Buffer.from(body).toString();
    assert.match(sent, /"WebFetch.*mcp__rivers__level"/);
    assert.deepEqual(dropped, []);
  }
});
