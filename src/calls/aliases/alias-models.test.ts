import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depthOf, expandModels } from './alias-models.ts';

function finder(aliases: Readonly<Record<string, readonly string[]>>) {
  return (name: string) => aliases[name];
}

test('aliases in a list are replaced by their models, each model once', () => {
  const find = finder({ fast: ['a', 'b'], good: ['c', 'fast', 'a'] });
  assert.deepEqual(expandModels(['d', 'good', 'b'], find), ['d', 'c', 'a', 'b']);
});

test('the models of an alias share its weight', () => {
  const find = finder({ fast: ['a', 'b'], uneven: ['a:3', 'b'], three: ['a', 'b', 'c'] });
  assert.deepEqual(expandModels(['fast:4', 'c'], find), ['a:2', 'b:2', 'c']);
  assert.deepEqual(expandModels(['uneven:4', 'c:1'], find), ['a:3', 'b:1', 'c:1']);
  // A third of the weight isn't a whole number: all weights grow by one factor.
  assert.deepEqual(expandModels(['three:2', 'd:1'], find), ['a:667', 'b:667', 'c:667', 'd:1000']);
});

test('a version in a name is no weight', () => {
  const names = ['bedrock/amazon.nova-pro-v1:0', 'bedrock/anthropic.claude-v2:1', 'ollama/llama3:8b'];
  const find = finder({ all: [...names, `${names[0]}:2`] });
  assert.deepEqual(expandModels(['all'], find), names);
});

test('levels are counted, and an alias that contains itself has none and adds nothing', () => {
  const find = finder({ one: ['a'], two: ['one', 'a'], loop: ['a', 'back'], back: ['loop', 'b'] });
  assert.equal(depthOf(['a'], find), 1);
  assert.equal(depthOf(['two', 'a'], find), 3);
  assert.equal(depthOf(['loop'], find), undefined);
  assert.deepEqual(expandModels(['loop'], find), ['a', 'b']);
});
