import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withRequiredBetas } from './betas.ts';

const plain = { model: 'claude-sonnet-4-5', messages: [] };
const edited = { ...plain, context_management: { edits: [] } };
const beta = 'context-management-2025-06-27';

test('a request that lets its provider leave out results says so beside the betas of its client, once', () => {
  assert.deepEqual(withRequiredBetas(plain, ['x-api-key', 'k']), ['x-api-key', 'k']);
  assert.deepEqual(withRequiredBetas(edited, ['x-api-key', 'k']), ['x-api-key', 'k', 'anthropic-beta', beta]);
  const with2 = withRequiredBetas(edited, ['Anthropic-Beta', 'a-1', 'x-api-key', 'k']);
  assert.deepEqual(with2, ['Anthropic-Beta', `a-1,${beta}`, 'x-api-key', 'k']);
  assert.deepEqual(withRequiredBetas(edited, with2), with2);
});
