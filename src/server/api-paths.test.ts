import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelDialects, wireFormats } from '../wire/index.ts';
import { isApiPath } from './api-paths.ts';

test('what clients of any format call is for programs', () => {
  const calls = wireFormats.flatMap(({ routes }) => routes.map(({ path }) => path));
  const lists = modelDialects.map(({ path }) => path);
  for (const path of [...calls, ...lists]) assert.ok(isApiPath(path), path);
});

test('pages are not, also where they begin alike', () => {
  for (const path of ['/', '/docs', '/receipts/rcpt_1', '/v10', '/apis', '/V1/messages'])
    assert.ok(!isApiPath(path), path);
});
