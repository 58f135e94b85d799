import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../../module-api.ts';
import { compileRule } from './compile-rule.ts';

function found(content: object, text: string): readonly string[] {
  const rule = compileRule('codenames', { action: 'redact', ...content });
  return [...rule.find(text)].map(({ start, end }) => text.slice(start, end));
}

function faultOf(content: object, name = 'codenames'): string {
  try {
    compileRule(name, { action: 'redact', ...content });
  } catch (thrown) {
    if (GatewayError.is(thrown) && thrown.status === 400) return thrown.message;
    throw thrown;
  }
  return 'no fault';
}

test('a rule finds its pattern', () => {
  const pattern = String.raw`\b[A-Z]{2,5}-\d{3,6}\b`;
  assert.deepEqual(found({ pattern }, 'See AB-123 and xAB-123, TICKET-1, OPS-99999.'), [
    'AB-123',
    'OPS-99999',
  ]);
});

test('a rule finds its words, also if they are disguised', () => {
  const words = ['Falcon', 'Blue Heron', 'C++', '鹰'];
  assert.deepEqual(
    found(
      { words },
      'FALCON f4lc0n ｆａｌｃｏｎ f.a.l.c.o.n falcons falconry blue  heron blue-heron C++ 飞鹰',
    ),
    ['FALCON', 'f4lc0n', 'ｆａｌｃｏｎ', 'f.a.l.c.o.n', 'falcons', 'blue  heron', 'blue-heron', 'C++', '鹰'],
  );
});

test('what RE2 has not is rejected, with the reason and the place', () => {
  assert.match(
    faultOf({ pattern: 'ab(?=c)' }),
    /^pattern: at character 3, "\(\?=c\)": RE2 has no look-around/,
  );
  assert.match(faultOf({ pattern: '(?<!a)b' }), /at character 1, .* no look-around/);
  assert.match(faultOf({ pattern: String.raw`(a)\1` }), /at character 4, .* no back-references/);
  assert.match(faultOf({ pattern: 'a[b' }), /at character 2, "\[b": missing closing/);
});

test('a rule that could be expensive is rejected', () => {
  const large = ['(a{1,1000}){1,1000}', 'a{1000}'.repeat(60), '(?:a|b)*a(?:a|b){20}c'];
  for (const pattern of large) assert.match(faultOf({ pattern }), /too large/, pattern);
  assert.match(faultOf({ pattern: 'a'.repeat(501) }), /^pattern: /);
  assert.match(faultOf({ pattern: 'a*' }), /matches an empty text/);
});

test('a rule needs a pattern or words, and a name of its own', () => {
  assert.match(faultOf({}), /either a pattern or words/);
  assert.match(faultOf({ pattern: 'a', words: ['a'] }), /either a pattern or words/);
  assert.match(faultOf({ pattern: 'a', action: 'block', replacement: 'x' }), /^replacement: /);
  assert.match(faultOf({ pattern: 'a' }, 'email'), /^name: /);
});
