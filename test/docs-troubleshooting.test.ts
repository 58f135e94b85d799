import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { errorStatus } from '../src/kernel/errors.ts';
import { root, textOf } from './support/documents.ts';

const page = textOf('docs/troubleshooting.md');
const sources = globSync(['src/**/*.ts', 'bin/*.js'], { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map(textOf)
  .join('\n')
  // A message may be written in two pieces, or with a quote that is escaped.
  .replaceAll(/['`] \+\s*['`]/g, '')
  .replaceAll("\\'", "'");

test('every message in docs/troubleshooting.md is in the code', () => {
  const messages = [...page.matchAll(/^- (?:Message|Log)[^:]*: (.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/`([^`]+ [^`]+)`/g)].map(([, message = '']) => message),
  );
  assert.ok(messages.length > 15);
  // An ellipsis stands for a value; the code may add what follows a colon or a semicolon elsewhere.
  const pieces = messages
    .flatMap((message) => message.split(/…|[;:] /))
    .filter((piece) => piece.trim().length > 3);
  assert.deepEqual(
    pieces.filter((piece) => !sources.includes(piece.trim())),
    [],
  );
});

test('every error code in docs/troubleshooting.md exists', () => {
  const codes = [...page.matchAll(/(?:^\| |[Cc]odes?:? (?:is )?)`([a-z]+(?:_[a-z]+)+)`/gm)].map(
    ([, code]) => code,
  );
  assert.ok(codes.length > 10);
  const elsewhere = ['insufficient_quota'];
  assert.deepEqual(
    codes.filter((code = '') => !(code in errorStatus) && !elsewhere.includes(code)),
    [],
  );
});
