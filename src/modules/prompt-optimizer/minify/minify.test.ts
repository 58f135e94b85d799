import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compactJson } from './json-whitespace.ts';
import { resultKindOf } from './result-kind.ts';
import { cleanTerminalOutput } from './terminal-output.ts';

test('JSON keeps its numbers, escapes and keys, and loses its white space', () => {
  const text = '{\n  "a": 1.0,\n  "b\\" ": [1e3, "x  y\\\\", -0],\n  "a": "\\u00e9 {  }"\n}\n';
  assert.equal(compactJson(text), '{"a":1.0,"b\\" ":[1e3,"x  y\\\\",-0],"a":"\\u00e9 {  }"}');
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(2, '\t', ' \t'), (value, indent) => {
      const compact = compactJson(JSON.stringify([value], null, indent));
      assert.equal(compact, JSON.stringify([value]));
    }),
  );
});

test('what is not a JSON object or list stays', () => {
  for (const text of ['{ "a": 1 } { "b": 2 }', '{ a: 1 }', '"text  "', 'function f() {  }', '[1,\n2', ''])
    assert.equal(compactJson(text), undefined);
});

test('terminal output loses colours and overwritten states', () => {
  assert.equal(cleanTerminalOutput('\u001b[32mok\u001b[0m  \n\n\n\ndone'), 'ok\n\ndone');
  assert.equal(cleanTerminalOutput('  5 %\r 50 %\r100 %\nend'), '100 %\nend');
  assert.equal(cleanTerminalOutput('\u001b[1m- a  \n\n\n@@ -1 +1 @@\n+b  '), '- a  \n\n\n@@ -1 +1 @@\n+b  ');
});

test('a text without marks of a terminal stays, and so does a line that is not overwritten completely', () => {
  for (const text of ['a  \n\n\n\nb', 'a\r\nb\r\n', 'a longer state\rshort\n', 'a\r'])
    assert.equal(cleanTerminalOutput(text), text);
});

test('content of files is verbatim, in any language of tools', () => {
  const kinds = [
    ['Read', { file_path: '/a.json' }, 'verbatim'],
    ['read_many', { paths: ['a'] }, 'verbatim'],
    ['mcp__github__get_contents', { owner: 'a', path: 'b' }, 'verbatim'],
    ['str_replace_based_edit_tool', { command: 'view', path: '/a' }, 'verbatim'],
    ['undo', { command: 'view', path: '/a' }, 'verbatim'],
    ['Bash', { command: 'cat package.json' }, 'verbatim'],
    ['shell', { command: ['bash', '-lc', 'sed -n 1,9p a.py'] }, 'verbatim'],
    ['Bash', { command: 'git diff HEAD' }, 'verbatim'],
    ['exec_command', { cmd: 'npm test' }, 'terminal'],
    ['mcp__crm__list_customers', { limit: 3 }, 'data'],
    ['search_flights', { from: 'OSL', date: '2026-11-18' }, 'data'],
    ['anything', 'text', 'verbatim'],
  ] as const;
  for (const [name, input, kind] of kinds) assert.equal(resultKindOf(name, input), kind, name);
});
