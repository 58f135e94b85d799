import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTexts } from './sample-texts.ts';

test('texts that are short enough are taken as they are', () => {
  const texts = ['one', '', 'two'];
  const textSample = sampleTexts(texts, 1000);
  assert.equal(textSample.texts, texts);
  assert.equal(textSample.factor, 1);
});

test('of a text that is too long, slices are taken from all of it', () => {
  const text = Array.from({ length: 100 }, (_, at) => String(at % 10).repeat(10_000)).join('');
  const { texts, factor } = sampleTexts([text], 100_000);
  const taken = texts.join('');
  assert.ok(taken.length <= 100_000 && taken.length > 80_000, String(taken.length));
  assert.equal(factor, text.length / taken.length);
  assert.deepEqual([...new Set(taken)].sort().join(''), '0123456789');
});

test('a million texts of a letter are no more work than a long one', () => {
  const { texts, factor } = sampleTexts(
    Array.from({ length: 1_000_000 }, () => 'a'),
    1024 * 1024,
  );
  assert.ok(texts.length < 20_000, String(texts.length));
  assert.ok(Math.abs(texts.length * factor - 1_000_000) < 1);
});
