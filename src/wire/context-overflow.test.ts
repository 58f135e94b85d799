import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isContextOverflow, withOverflowPhrase } from './context-overflow.ts';

const tooLong = [
  'prompt is too long: 208310 tokens > 200000 maximum',
  'input is too long for requested model',
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  'Please reduce the length of the messages or completion.',
  'Prompt contains 70000 tokens, too large for model with 32768 maximum context length',
  'the request exceeds the available context size, try increasing it',
  'prompt too long; exceeded max context length by 12 tokens',
];

const other = [
  'This request would exceed your rate limit of 30,000 input tokens per minute',
  'max_tokens: 70000 > 64000, which is the maximum allowed number of output tokens',
  'messages: at least one message is required',
  'You exceeded your current quota, please check your plan',
  'image exceeds 5 MB maximum',
  'tools.0.name: String should have at most 64 characters',
];

test('what providers say of a conversation that is too long is understood, and nothing else', () => {
  for (const message of tooLong) assert.ok(isContextOverflow({ message, status: 400 }), message);
  for (const message of other) assert.ok(!isContextOverflow({ message, status: 400 }), message);
});

test('a code says it whatever the words, and words only where the status allows it', () => {
  assert.ok(isContextOverflow({ message: 'no', code: 'context_length_exceeded' }));
  assert.ok(!isContextOverflow({ message: 'prompt is too long', status: 500 }));
  assert.ok(!isContextOverflow({ message: 'maximum context length', status: 429 }));
});

test('its message has the words that clients of Messages look for, once', () => {
  assert.equal(withOverflowPhrase('prompt is too long: 9 > 8'), 'prompt is too long: 9 > 8');
  assert.equal(withOverflowPhrase('too much'), 'prompt is too long: too much');
});
