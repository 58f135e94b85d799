import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isThought } from '../kernel/thoughts.ts';
import { seal } from './sealed.ts';

test('what a provider signs on a call is no thought: the call would be refused without', () => {
  const redacted = (data: string) => isThought({ type: 'redacted_thinking', data });
  assert.deepEqual(
    [
      isThought({ type: 'thinking', thinking: 'Hm.' }),
      redacted('abc'),
      redacted(seal('openai-responses', '{}')),
    ],
    [true, true, true],
  );
  assert.deepEqual([redacted(seal('openai-chat', '{}')), redacted(seal('gemini', '{}'))], [false, false]);
  assert.equal(isThought({ type: 'text', text: 'Hm.' }), false);
});
