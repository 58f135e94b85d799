import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropicMessages, openaiChat } from './index.ts';

const text = 'ü"usage":{'.repeat(300_000);
const answers = [
  [
    openaiChat,
    {
      choices: [
        { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 9 },
      system_fingerprint: 'fp',
    },
  ],
  [
    anthropicMessages,
    {
      type: 'message',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 9 },
    },
  ],
] as const;

for (const [wire, answer] of answers)
  test(`what a huge answer used is seen by somebody who does not keep it (${wire.name})`, () => {
    const bytes = Buffer.from(JSON.stringify(answer));
    const decoder = wire.replyDecoder('json', 'milestones');
    for (let at = 0; at < bytes.byteLength; at += 65_536) decoder.push(bytes.subarray(at, at + 65_536));
    const [delta] = decoder.end();
    assert.ok(delta?.type === 'message_delta');
    assert.equal(delta.delta.stop_reason, 'end_turn');
    assert.deepEqual([delta.usage?.input_tokens, delta.usage?.output_tokens], [7, 9]);
  });
