import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyJsonObject } from './json/lazy-json-object.ts';
import { changeRelay, type RelayRequest, type RelayRoute } from './relay.ts';

const route: RelayRoute = {
  ...{ purpose: 'relay', endpoint: 'embeddings', method: 'POST', path: '/', summary: '' },
  ...{ body: 'json', price: 'tokens' },
};

function requestOf(json: string): RelayRequest {
  const bytes = Buffer.from(json);
  return { route, model: 'm', fields: LazyJsonObject.of(bytes), bodyBytes: bytes.byteLength };
}

test('a changed request has the bytes of its changed fields', () => {
  const before = requestOf('{"model":"m","input":["a@b.co"]}');
  const longer = changeRelay(before, { input: ['<EMAIL_1>'] });
  assert.equal(longer.bodyBytes, '{"model":"m","input":["<EMAIL_1>"]}'.length);
  const more = changeRelay(longer, { user: 'xy' });
  assert.equal(more.bodyBytes, (longer.bodyBytes ?? 0) + '"xy"'.length);
  assert.deepEqual([more.fields.get('input'), more.fields.get('user')], [['<EMAIL_1>'], 'xy']);
  assert.deepEqual(more.changes, { input: ['<EMAIL_1>'], user: 'xy' });
});

test('numbers that are written short count with what is sent', () => {
  const before = requestOf('{"input":[1e9,1e9]}');
  assert.equal(changeRelay(before, { input: [1e9] }).bodyBytes, '[1000000000]'.length);
});
