import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuBelow } from '../../../test/support/cpu-time.ts';
import { hintForPath } from './path-hints.ts';

test('a base address with a missing or a second /v1 gets a hint', () => {
  for (const path of [
    '/chat/completions',
    '/responses',
    '/messages',
    '/messages/count_tokens',
    '/v1/v1/messages',
    '/v1/v1/messages/count_tokens',
    '//v1/chat/completions',
    '/api/v1/chat/completions',
    '/v1beta/openai/chat/completions',
    '/v1/chat/completions//',
  ])
    assert.match(hintForPath(path) ?? '', /base URL/, path);
});

test('clients of clouds get a hint with the right path', () => {
  assert.match(hintForPath('/openai/deployments/mine/chat/completions') ?? '', /azure\/<deployment>/);
  assert.match(hintForPath('/model/amazon.nova-lite-v1:0/converse') ?? '', /bedrock\//);
  assert.match(hintForPath('/v1/projects/p/publishers/anthropic/models/m:rawPredict') ?? '', /vertex\//);
});

test('of other paths nothing is known', () => {
  for (const path of ['/', '/v1/embeddings', '/v1/users/messages-of-mine', '/v1/responses/resp_1'])
    assert.equal(hintForPath(path), undefined, path);
});

test('a path that repeats the beginning of a known one is read in linear time', async () => {
  await assertCpuBelow(1000, () => {
    for (const part of ['/publishers/', '/publishers/:rawPredict', '/model/', '/messages', '/'])
      assert.equal(hintForPath(`/x${part.repeat(400_000 / part.length)}x`), undefined, part);
  });
});
