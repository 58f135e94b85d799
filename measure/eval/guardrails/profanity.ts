import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProfanity } from '../../../src/modules/guardrails/words/find-profanity.ts';
import { excerpt, readRows } from './spans.ts';

/** How people write a word to get past filters. */
const disguises: Readonly<Record<string, (word: string) => string>> = {
  'as it is': (word) => word,
  capitals: (word) => word.toUpperCase(),
  digits: (word) => replaceLetters(word, 'aeios', '43105'),
  symbols: (word) => replaceLetters(word, 'ais', '@!$'),
  'full width': (word) => word.replaceAll(/[a-z]/g, (letter) => moveLetter(letter, 0xff41)),
  'bold letters': (word) => word.replaceAll(/[a-z]/g, (letter) => moveLetter(letter, 0x1d41a)),
  'look-alikes': (word) => replaceLetters(word, 'aeoci', 'аеосі'),
  accents: (word) => word.replaceAll(/[aeiou]/g, '$&\u0301'),
  'zero width': (word) => [...word].join('\u200B'),
  blanks: (word) => [...word.replaceAll(' ', '')].join(' '),
  dots: (word) => [...word.replaceAll(' ', '')].join('.'),
  'repeated vowels': (word) => word.replaceAll(/[aeiou]/g, '$&$&$&'),
  'repeated end': (word) => word + word.slice(-1).repeat(2),
  asterisk: (word) => (word.length > 3 ? `${word[0]}*${word.slice(2)}` : word),
};

/** The entries of the published list in a sentence, in each disguise, and findings in harmless texts. */
export function reportProfanity(data: string, showsMisses: boolean): void {
  const list = readFileSync(join(data, 'guardrails/words/ldnoobw-en.txt'), 'utf8').trim().split('\n');
  console.log(`\nProfanity: ${list.length} entries of the published list\nwritten             found`);
  for (const [name, disguise] of Object.entries(disguises)) {
    const missed = list.filter((word) => !isFound(disguise(word)));
    console.log(`${name.padEnd(20)}${(1 - missed.length / list.length).toFixed(3)}`);
    if (showsMisses) console.log(missed.join(', '));
  }
  console.log('\ntexts               number    with a finding');
  for (const [name, texts] of Object.entries(harmlessTexts(data))) {
    const found = texts.filter((text) => findProfanity(text).length > 0);
    const share = ((100 * found.length) / texts.length).toFixed(2);
    console.log(`${name.padEnd(20)}${String(texts.length).padStart(6)}${share.padStart(14)} %`);
    if (showsMisses)
      for (const text of found)
        for (const finding of findProfanity(text)) console.log(excerpt(text, finding));
  }
}

function harmlessTexts(data: string): Readonly<Record<string, readonly string[]>> {
  const textsIn = (file: string) => readRows<{ readonly text: string }>(data, file).map(({ text }) => text);
  const conversations = globSync(join(data, 'memory/locomo/conv-*.jsonl')).map((file) =>
    file.slice(data.length + 1),
  );
  return {
    notinject: textsIn('guardrails/injection/notinject.jsonl'),
    'wildguard-benign': textsIn('guardrails/injection/wildguard-benign.jsonl'),
    'presidio-synth-v2': textsIn('guardrails/pii/presidio-synth-v2.jsonl'),
    clinc150: textsIn('semantic/clinc150.intents.jsonl'),
    banking77: textsIn('semantic/banking77.intents.jsonl'),
    locomo: conversations.flatMap(textsIn),
    mmlu: readRows<{ readonly prompt: string }>(data, 'routing/routellm/mmlu.1.jsonl').map(
      ({ prompt }) => prompt,
    ),
  };
}

function isFound(word: string): boolean {
  const before = 'You said ';
  return findProfanity(`${before}${word} to me.`).some(
    ({ start, end }) => start < before.length + word.length && end > before.length,
  );
}

function replaceLetters(word: string, letters: string, others: string): string {
  return [...word].map((letter) => [...others][letters.indexOf(letter)] ?? letter).join('');
}

function moveLetter(letter: string, firstCode: number): string {
  return String.fromCodePoint(firstCode + letter.charCodeAt(0) - 'a'.charCodeAt(0));
}
