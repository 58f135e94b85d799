import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthOf, parseTemplate, renderTemplate } from './template.ts';

function render(text: string, values: Readonly<Record<string, string>> = {}): string {
  const { template, faults } = parseTemplate(text);
  assert.deepEqual(faults, []);
  const given = new Map(Object.entries(values));
  const rendered = renderTemplate(template, given);
  assert.equal(rendered.length, lengthOf(template, given));
  return rendered;
}

test('names in double braces are replaced, and nothing else is', () => {
  const values = { a: '1', b_c: '2', 'd-e': '3' };
  assert.equal(render('{{a}}{{ b_c }}-{{d-e}}', values), '12-3');
  assert.equal(render('', values), '');
  assert.equal(render('{a} }} {', values), '{a} }} {');
});

test('a backslash makes braces text, and two before braces are one', () => {
  assert.equal(render('\\{{a}}', { a: '1' }), '{{a}}');
  assert.equal(render('\\\\{{a}}', { a: '1' }), '\\1');
  assert.equal(render('\\\\\\{{a}}', { a: '1' }), '\\{{a}}');
  assert.equal(render('\\n \\', { a: '1' }), '\\n \\');
});

test('values are never read as templates', () => {
  assert.equal(render('{{a}}{{b}}', { a: '{{b}}', b: '\\{{a}}' }), '{{b}}\\{{a}}');
  assert.equal(render('{{a}}}', { a: '$1' }), '$1}');
});

test('what is no variable is a fault, of which a few are described', () => {
  for (const text of ['{{', '{{}}', '{{ }}', '{{1a}}', '{{a b}}', '{{{a}}}', '{{a', '{{__proto__}}', '{{é}}'])
    assert.equal(parseTemplate(text).faults.length, 1, text);
  assert.match(parseTemplate('ab{{').faults[0] ?? '', /at character 3/);
  assert.equal(parseTemplate('{{'.repeat(1000)).faults.length, 10);
});
