import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import golden from '../../../models/golden.json' with { type: 'json' };
import { findModelFiles } from '../model-files.ts';
import { WordPieceTokenizer } from './word-piece-tokenizer.ts';

const files = findModelFiles() ?? assert.fail('the models are not installed');
const vocabulary = JSON.parse(readFileSync(files.vocabulary.path, 'utf8')).model.vocab;
const pieces = new WordPieceTokenizer(vocabulary);
const words = new Map(Object.entries(vocabulary).map(([word, id]) => [id, word]));
const cut = (text: string) => pieces.encode(text).map((id) => words.get(id));

test('texts are cut as where the models were trained', () => {
  for (const { before, now, tokens } of golden.judge) {
    assert.deepEqual(pieces.encode(before), tokens[0]);
    assert.deepEqual(pieces.encode(now), tokens[1]);
  }
  for (const { text, tokens } of golden.tools) assert.deepEqual(pieces.encode(text), tokens);
});

test('case, accents, marks and other scripts are treated as by BERT', () => {
  assert.deepEqual(cut('Crème BRÛLÉE!'), ['cr', '##eme', 'br', '##ule', '##e', '!']);
  assert.deepEqual(cut('a_b $5+x'), ['a', '_', 'b', '$', '5', '+', 'x']);
  assert.deepEqual(cut('東京'), ['東', '京']);
  assert.deepEqual(cut('tab\there\u00a0and\u200bjoined\0'), ['tab', 'here', 'and', '##jo', '##ined']);
  assert.deepEqual(cut('🌊'), ['[UNK]']);
  assert.deepEqual(cut(''), []);
  assert.deepEqual(cut('a'.repeat(101)), ['[UNK]']);
});

test('what a text says in brackets does not become a token of control', () => {
  assert.deepEqual(cut('[SEP] [CLS]'), ['[', 'sep', ']', '[', 'cl', '##s', ']']);
});

test('ten thousand characters of anything are cut without much work', () => {
  for (const hostile of [
    'x',
    'x ',
    '\u0301',
    'é',
    '東',
    '#',
    '🌊',
    'antidisestablishmentarianism',
    '\ud800',
  ]) {
    const text = hostile.repeat(10_000 / hostile.length);
    assert.ok(pieces.encode(text).length <= 10_000, JSON.stringify(hostile));
  }
});
