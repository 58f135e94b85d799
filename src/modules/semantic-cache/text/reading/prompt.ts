import { marksIn } from './marks.ts';
import { countNegations, negatedStemsIn } from './negation.ts';
import { type NumberInText, numbersIn } from './numbers.ts';
import { removePoliteness } from './politeness.ts';
import { parseQuestionForm, type QuestionForm } from './question-form.ts';
import { codeIn, quotedIn } from './quotes.ts';
import { type KindValue, kindValues, valueWordsMax } from './value-kinds.ts';
import { expandContractions, normalizeText, type Word, wordsIn } from './words.ts';

/** A prompt, parsed for comparison. */
export interface ParsedPrompt {
  /** As the client sent it. */
  readonly original: string;
  /** With plain quotes and single spaces, without polite phrases. */
  readonly text: string;
  /** Whether the polite phrases named the speaker: "tell me". */
  readonly isForMe: boolean;
  /** The words in lower case, without polite phrases and punctuation. */
  readonly plain: string;
  readonly words: readonly Word[];
  readonly content: readonly Word[];
  /** All its words in lower case, their stems, and adjacent words joined. */
  readonly vocabulary: ReadonlySet<string>;
  readonly numbers: readonly NumberInText[];
  readonly values: readonly ValueInText[];
  readonly names: readonly string[];
  readonly quoted: readonly string[];
  readonly code: readonly string[];
  readonly identifiers: readonly string[];
  /** Arithmetic signs, in order. */
  readonly signs: string;
  /** Other meaningful marks, in order: operators, flags, smileys. */
  readonly marks: string;
  readonly negations: number;
  /** Stems of words after a "not" or "only". */
  readonly negated: ReadonlySet<string>;
  readonly form: QuestionForm;
  /** The text after the first colon, if it has at least five words. */
  readonly tail: string | undefined;
}

export interface ValueInText extends KindValue {
  /** Its index among the words. */
  readonly at: number;
}

export function parsePrompt(sent: string): ParsedPrompt {
  const reading = parsePromptInSteps(sent);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** Parses in steps, because the first run in a process takes milliseconds. */
export function* parsePromptInSteps(original: string): Generator<undefined, ParsedPrompt> {
  const level = normalizeText(original);
  yield;
  const text = yield* removePoliteness(level);
  yield;
  const lower = expandContractions(text).toLowerCase();
  yield;
  const words = wordsIn(text);
  yield;
  const code = codeIn(original);
  const numbers = numbersIn(text);
  yield;
  const flat = words.map((word) => word.text);
  // "A lone" is not "alone".
  const joined = flat.slice(1).flatMap((word, at) => (flat[at] === 'a' ? [] : [`${flat[at]}${word}`]));
  const stems = words.map((word) => word.stem);
  const vocabulary = new Set([...flat, ...stems, ...joined, ...flat.map((word) => word.replaceAll('.', ''))]);
  const found = valuesIn(flat);
  yield;
  const quoted = quotedIn(text);
  const identifiers = words
    .filter((word) => looksLikeIdentifier(word.raw) && !kindValues.has(word.text))
    .map((word) => word.text);
  yield;
  const [signs, marks] = [signsIn(text), marksIn(text)];
  yield;
  const negations = countNegations(lower);
  const negated = negatedStemsIn(words);
  yield;
  const form = parseQuestionForm(lower);
  yield;
  return {
    original,
    text,
    isForMe: /\b(?:me|us)\b/i.test(level.slice(0, Math.max(0, level.indexOf(text)))),
    plain: flat.join(' '),
    words,
    content: words.filter((word) => word.isContent),
    vocabulary,
    numbers,
    values: found,
    names: words.filter((word) => word.isName).map((word) => word.text),
    quoted,
    code,
    identifiers,
    signs,
    marks,
    negations,
    negated,
    form,
    tail: tailOf(text),
  };
}

/** A longer token is no word, and the models can't read it. */
const wordCharactersMax = 40;

/** Identifiers of programs, files, hosts and orders, which have no synonyms, and tokens that the models can't read. */
function looksLikeIdentifier(raw: string): boolean {
  return (
    raw.length > 1 &&
    (raw.length > wordCharactersMax ||
      /[^\p{ASCII}\p{M}]/u.test(raw.normalize('NFD')) ||
      /[_@/\\$]|\(\)$|^\./.test(raw) ||
      /\p{Ll}\p{Lu}/u.test(raw) ||
      (/\d/.test(raw) && /\p{L}/u.test(raw) && !/^\d+(?:st|nd|rd|th|s)$/i.test(raw)))
  );
}

const spokenOperators: readonly (readonly [RegExp, string])[] = [
  [/\b(?:plus|add(?:ed)?|sum)\b/g, '+'],
  [/\b(?:minus|subtract(?:ed)?)\b/g, '-'],
  [/\b(?:times|multipl(?:y|ied)|product)\b|(?<=\d\s?)x(?=\s?\d)/g, '*'],
  [/\bdivided?\b/g, '/'],
  [/\bsquared\b|\bto the power\b/g, '^'],
];

/** Signs between numbers, as symbols or words. */
function signsIn(text: string): string {
  const math = /(?<=[\d)\]]|\b[a-z])\s?(\*\*|<=|>=|!=|==|[+*/^<>×÷-])\s?(?=[\d([]|[a-z]\b)/gi;
  const signs = [...text.matchAll(math)]
    .map((match) => match[1] ?? '')
    .filter((sign) => /[^/-]/.test(sign) || /\d\s?[/-]\s?\d/.test(text));
  const lower = text.toLowerCase();
  const said = /\d\D*\d|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b/.test(lower)
    ? spokenOperators.flatMap(([word, sign]) => (lower.match(word) ?? []).map(() => sign))
    : [];
  const plain = signs.join(' ').replaceAll('×', '*').replaceAll('÷', '/').replaceAll('**', '^');
  return [...(plain === '' ? [] : plain.split(' ')), ...said].join('');
}

/** The text after the first colon, which is usually the material of a request. */
function tailOf(text: string): string | undefined {
  const colon = text.indexOf(': ');
  if (colon !== text.indexOf(':') || !text.slice(0, Math.max(0, colon)).includes(' ')) return undefined;
  const plain = text
    .slice(colon)
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim();
  return plain.split(' ').length >= 5 ? plain : undefined;
}

function valuesIn(words: readonly string[]): ValueInText[] {
  const found: ValueInText[] = [];
  for (let at = 0; at < words.length; ) {
    const { width, list } = longestValue(words, at);
    for (const kindValue of list) found.push({ ...kindValue, at });
    at += width;
  }
  return found;
}

const symbols: ReadonlyMap<string, string> = new Map([
  ['$', 'dollar'],
  ['€', 'euro'],
  ['£', 'sterling'],
  ['¥', 'yen'],
  ['₹', 'rupee'],
  ['₽', 'ruble'],
  ['₩', 'krw'],
  ['₺', 'lira'],
  ['₪', 'shekel'],
  ['฿', 'baht'],
  ['₱', 'peso'],
  ['₿', 'bitcoin'],
  ['¢', 'cent'],
]);

function longestValue(words: readonly string[], at: number): { width: number; list: readonly KindValue[] } {
  for (let width = valueWordsMax; width > 0; width--) {
    const phrase = words.slice(at, at + width).join(' ');
    const list = kindValues.get(symbols.get(phrase) ?? phrase);
    if (list !== undefined) return { width, list };
  }
  const [symbol = ''] = words.slice(at, at + 1);
  const isMoney = /^\p{Sc}$/u.test(symbol);
  return { width: 1, list: isMoney ? [{ kind: 'currency', value: symbol, counts: true }] : [] };
}
