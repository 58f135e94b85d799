import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentDigest, timingSafeTextEqual } from './content-digest.ts';

test('a digest is the one of RFC 9530 over the very bytes', () => {
  const bytes = Buffer.from('{"hello": "world"}');
  assert.equal(contentDigest(bytes), 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:');
  assert.notEqual(contentDigest(Buffer.from('{"hello":"world"}')), contentDigest(bytes));
  assert.equal(contentDigest(Buffer.of()), 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
});

test('texts are the same only where every byte is', () => {
  assert.equal(timingSafeTextEqual('abc', 'abc'), true);
  assert.equal(timingSafeTextEqual('abc', 'abd'), false);
  assert.equal(timingSafeTextEqual('abc', 'abcd'), false);
});
