import assert from 'node:assert/strict';
import test from 'node:test';
import { type TextLayout, tokensBy } from '../measure/eval/tokens/laid-out.ts';
import { refitted } from '../measure/eval/tokens/refit.ts';
import { isIn, shareOf } from '../measure/eval/usage/held-out.ts';
import { templateFor } from '../src/providers/tokens/prompt-template.ts';

const openings = Array.from(
  { length: 200 },
  (_, at) => `${'ab'[at % 2]}${'x'.repeat(at % 50)} How high is it?`,
);

test('a conversation is on one side with all its turns, in every format, whatever its numbers', () => {
  for (const [at, opening] of openings.entries()) {
    const user = { role: 'user', content: opening };
    const alike = [
      { messages: [user] },
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          user,
          { role: 'assistant', content: 'Yes.' },
          user,
        ],
      },
      { messages: [{ role: 'user', content: [{ type: 'text', text: `${at} ${opening}` }] }] },
      { input: opening },
      { input: [{ role: 'user', content: [{ type: 'input_text', text: opening }] }] },
    ];
    assert.equal(new Set(alike.map((body) => isIn('held-out', body))).size, 1);
    assert.notEqual(isIn('held-out', alike[0]), isIn('fitted', alike[0]));
    assert.equal(isIn('all', alike[0]), true);
  }
  const held = openings.filter((input) => isIn('held-out', { input })).length;
  assert.ok(held > 50 && held < 150, String(held));
});

test('the calls to judge by are the held-out ones unless something else is said', () => {
  assert.equal(shareOf(undefined), 'held-out');
  assert.equal(shareOf('all'), 'all');
  assert.throws(() => shareOf('some'), /held-out, fitted, all/);
});

test('numbers that are fitted anew are those that the calls were made with', () => {
  const numbers = [1.1, 7, 3, 20, 100, 1.3];
  const calls = Array.from({ length: 60 }, (_, at) => {
    const hasTools = at % 3 === 0 ? 1 : 0;
    const amounts = [at * 13 + 5, 1, (at % 4) + 1, at % 2, hasTools, hasTools * (40 + 7 * (at % 5))];
    const laid: TextLayout = { template: templateFor('qwen-2', undefined), amounts, rest: at % 7 };
    return { laid, reported: tokensBy(numbers, laid) };
  });
  const found = refitted(calls);
  for (const { laid, reported } of calls)
    assert.ok(
      Math.abs(tokensBy(found, laid) - reported) <= reported * 0.1,
      `${reported} ${tokensBy(found, laid)}`,
    );
});
