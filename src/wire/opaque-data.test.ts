import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapOpaque } from './opaque-data.ts';
import { isThinkingBlock } from './thinking-blocks.ts';

test('what a provider signs on a call is no thought: the call would be refused without', () => {
  const redacted = (data: string) => isThinkingBlock({ type: 'redacted_thinking', data });
  assert.deepEqual(
    [
      isThinkingBlock({ type: 'thinking', thinking: 'Hm.' }),
      redacted('abc'),
      redacted(wrapOpaque('openai-responses', '{}')),
    ],
    [true, true, true],
  );
  assert.deepEqual(
    [redacted(wrapOpaque('openai-chat', '{}')), redacted(wrapOpaque('gemini', '{}'))],
    [false, false],
  );
  assert.equal(isThinkingBlock({ type: 'text', text: 'Hm.' }), false);
});
