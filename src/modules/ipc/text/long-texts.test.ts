import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertCpuBelow } from '../../../../test/support/cpu-time.ts';
import { splitIntoUnits } from '../../../lib/passages/units.ts';
import { extractRecord, utterancesIn } from './record.ts';
import { shrinkText } from './shrink-text.ts';

/** A time that grows with the square of the length is ten times this for each of these texts. */
const msMax = 500;

describe('long results of tools', () => {
  for (const [what, line] of Object.entries({ 'blank lines': '\n', 'lines of blanks of two kinds': ' \n\n' }))
    test(`made of ${what} are shrunk in a time that grows with their length`, async () => {
      const text = line.repeat(20_000);
      await assertCpuBelow(msMax, () => shrinkText(text));
    });

  test('with blank lines between repeated ones lose the repeats, and short runs of blank lines stay', () => {
    const repeats = '\n\n\nthe same\n'.repeat(3000);
    assert.ok((shrinkText(repeats)?.length ?? Infinity) < 300);
    const shrunk = shrinkText(`head${'\n'.repeat(50)}${'the same\n'.repeat(2000)}tail`);
    assert.equal(shrunk, `head${'\n'.repeat(50)}the same\n[this line 1999 more times]\ntail`);
  });

  test('lose long runs of blank lines', () => {
    assert.equal(shrinkText(`head${'\n'.repeat(9000)}tail`), 'head\n\n[this line 8998 more times]\ntail');
  });

  test('with more lines than a call has arguments are shrunk', () => {
    const paths = Array.from({ length: 150_000 }, (_, at) => `${at}/a`).join('\n');
    assert.equal(shrinkText(paths), undefined);
  });
});

describe('long texts', () => {
  const sentence = 'x'.repeat(500);
  for (const [what, text] of Object.entries({
    'one that never ends': '.'.repeat(1_000_000),
    'lines that never end': `${sentence}\n`.repeat(6000),
  }))
    test(`are taken apart in a time that grows with their length: ${what}`, async () => {
      await assertCpuBelow(msMax, () => splitIntoUnits(text));
    });

  test('are cut where sentences end, and where one has no end for long', () => {
    const text = `${'a'.repeat(100)}. ${'b'.repeat(1500)}. ${'c'.repeat(50)}`;
    const units = splitIntoUnits(text).map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(units, [`${'a'.repeat(100)}.`, 'b'.repeat(599), `${'b'.repeat(901)}.`, 'c'.repeat(50)]);
  });
});

describe('the record of a conversation', () => {
  const sentence = (at: number) => `On day ${at} we decided to keep the parser number ${at}. `;
  const text = Array.from({ length: 400_000 }, (_, at) => sentence(at)).join('');
  const messages = [
    { role: 'user', content: text },
    { role: 'user', content: 'We must call the file weir.db instead.' },
  ] as const;

  test('is selected from the start and the end of a long text, and from short texts', () => {
    const units = utterancesIn(messages, 4000).map((unit) => unit.text);
    assert.ok(units.join('').length <= 4000);
    assert.equal(units[0], sentence(0).trim());
    assert.deepEqual(units.slice(-2), [sentence(399_999).trim(), messages[1].content]);
  });

  test('takes no longer for a longer text', async () => {
    await assertCpuBelow(msMax, () => extractRecord(messages, 4000));
  });
});
