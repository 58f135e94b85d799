import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { root, textOf } from './support/documents.ts';

const page = textOf('docs/reference/headers.md');
/** The names in the first column of the tables. */
const documented = new Set(
  [...page.matchAll(/^\| (`.*?) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([\w-]+)`/g)])
    .map(([, name = '']) => name),
);
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/testing/'))
  .map(textOf)
  .join('\n');

test('docs/reference/headers.md has every header that the code reads by name', () => {
  const read = namesIn(/\.header\('([\w-]+)'\)|\b\w*[hH]eader(?:Values)?Of\([^()]+, '([\w-]+)'\)/g);
  assert.ok(read.length > 25);
  assert.deepEqual(
    read.filter((name) => !documented.has(name)),
    [],
  );
});

test('docs/reference/headers.md has every header of our own, and those that pages may read', () => {
  const own = namesIn(/['`](x-weir-[\w-]+)['`]/g);
  const ofModules = namesIn(/\.setHeader\('([\w-]+)'/g).map((name) => `x-weir-${name}`);
  const [, exposed = ''] = /const exposedHeaders =\s*'([^']+)'/.exec(sources) ?? [];
  const names = [...own, ...ofModules, ...exposed.split(', ').filter((name) => name !== '*')];
  assert.ok(names.length > 30);
  assert.deepEqual(
    names.filter((name) => !documented.has(name)),
    [],
  );
});

test('every header in docs/reference/headers.md is in the code', () => {
  const ofModules = new Set(namesIn(/\.setHeader\('([\w-]+)'/g).map((name) => `x-weir-${name}`));
  assert.deepEqual(
    [...documented].filter(
      (name) => !ofModules.has(name) && !new RegExp(`['\`, ]${name}['\`,]`).test(sources),
    ),
    [],
  );
});

function namesIn(form: RegExp): readonly string[] {
  return [...new Set([...sources.matchAll(form)].map(([, one, other]) => one ?? other ?? ''))];
}
