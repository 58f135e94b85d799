import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wireByName } from '../wire/index.ts';
import { ClientRequest } from './client-request.ts';
import { LazyJsonObject } from './json/lazy-json-object.ts';
import { limits } from './limits.ts';
import { TagReader, tagOf } from './tags.ts';

const listed = new TagReader(['team', 'env', 'user_id']);

function requestOf(tags: string | undefined, body: object = {}, wireName = 'openai-chat'): ClientRequest {
  const wire = wireByName(wireName);
  assert.ok(wire);
  return new ClientRequest({
    wire,
    fields: LazyJsonObject.of(Buffer.from(JSON.stringify({ model: 'm', ...body }))),
    headers: tags === undefined ? [] : ['x-weir-tags', tags],
    path: '/v1beta/models/m:generateContent',
    query: '',
  });
}

test('tags are read from the header, in the order of their names', () => {
  const reader = new TagReader();
  for (const [header, tags] of [
    ['team=search,env=prod', { env: 'prod', team: 'search' }],
    [' team = search & ads , cost.center=a=b ', { 'cost.center': 'a=b', team: 'search & ads' }],
    ['', {}],
    [undefined, {}],
  ] as const)
    assert.deepEqual(Object.entries(reader.read(requestOf(header))), Object.entries(tags), String(header));
});

test('a header with other syntax, or with too much, is rejected', () => {
  const many = Array.from({ length: limits.tagsMax + 1 }, (_, at) => `t${at}=x`).join(',');
  for (const [header, message] of [
    ['team', /^x-weir-tags: must be a list such as team=search,env=prod/],
    ['team=', /must be a list/],
    ['team=search,', /must be a list/],
    ['=search', /must be a list/],
    ['__proto__=x', /must be a list/],
    ['team=söarch', /must be a list/],
    [`team=${'x'.repeat(limits.tagValueBytesMax + 1)}`, /must be a list/],
    [`${'x'.repeat(limits.tagNameMax + 1)}=x`, /must be a list/],
    ['team=a,team=b', /has "team" more than once/],
    [many, /has more than 8 tags/],
  ] as const)
    assert.throws(
      () => new TagReader().read(requestOf(header)),
      { code: 'invalid_request', message },
      header,
    );
});

test('listed names of the metadata are tags, unless the header has them', () => {
  const metadata = { team: 'ads', env: 'prod', request: 'r-1' };
  for (const wire of ['openai-chat', 'openai-responses'])
    assert.deepEqual(listed.read(requestOf('team=search', { metadata }, wire)), {
      team: 'search',
      env: 'prod',
    });
  assert.deepEqual(listed.read(requestOf(undefined, { labels: metadata }, 'gemini')), {
    team: 'ads',
    env: 'prod',
  });
  assert.deepEqual(new TagReader().read(requestOf(undefined, { metadata })), {});
});

test('metadata that holds no tags is left alone', () => {
  for (const metadata of [
    null,
    'team',
    ['team'],
    { team: 1 },
    { team: '' },
    { team: 'a\nb' },
    { team: 'a,b' },
    { team: 'x'.repeat(200) },
  ])
    assert.deepEqual(listed.read(requestOf(undefined, { metadata })), {}, JSON.stringify(metadata));
  assert.deepEqual(
    listed.read(requestOf(undefined, { metadata: { user_id: 'ann' } }, 'anthropic-messages')),
    {},
  );
});

test('names that objects inherit are no tags', () => {
  assert.equal(tagOf({ team: 'a' }, 'constructor'), undefined);
  assert.equal(tagOf({ constructor: 'a' }, 'constructor'), 'a');
});
