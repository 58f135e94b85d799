import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../kernel/message.ts';
import { createToolCallIdMapper } from './tool-call-ids.ts';

const shape = { pattern: /^[a-z0-9]{2}$/, chars: 2 };

function calling(ids: readonly string[]): readonly Message[] {
  return [
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })) },
  ];
}

test('ids that do not fit become others that do, and none becomes that of another call', () => {
  const ids = Array.from({ length: 400 }, (_, n) => (n % 4 === 0 ? (n + 36).toString(36) : `call_${n}`));
  const given = createToolCallIdMapper(calling(ids), shape);
  assert.equal(new Set(ids.map(given)).size, ids.length);
  for (const id of ids) {
    assert.match(given(id), shape.pattern);
    if (shape.pattern.test(id)) assert.equal(given(id), id);
  }
});

test('an id becomes the same one whatever comes after it', () => {
  const before = createToolCallIdMapper(calling(['call_1', 'call_2']), shape);
  const after = createToolCallIdMapper(calling(['call_1', 'call_2', 'call_3']), shape);
  assert.deepEqual(['call_1', 'call_2'].map(after), ['call_1', 'call_2'].map(before));
});
