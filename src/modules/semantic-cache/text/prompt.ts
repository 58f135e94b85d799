import { type Value, values, valueWordsMax } from './kinds.ts';
import { marksIn } from './marks.ts';
import { type NumberInText, numbersIn } from './numbers.ts';
import { type QuestionForm, questionForm } from './question-form.ts';
import { levelled, spelledOut, type Word, wordsIn } from './words.ts';

/** A prompt as it is read to compare it with another. */
export interface Prompt {
  /** As it came. */
  readonly sent: string;
  /** With plain quotes and single spaces, without manners. */
  readonly text: string;
  /** Whether the manners said who wants it: "tell me". */
  readonly isForMe: boolean;
  /** Without manners, capitals and marks: prompts where this is equal are one prompt. */
  readonly plain: string;
  readonly words: readonly Word[];
  readonly content: readonly Word[];
  /** All its words, in lower case, their stems, and those that are written together elsewhere. */
  readonly vocabulary: ReadonlySet<string>;
  readonly numbers: readonly NumberInText[];
  readonly values: readonly ValueInText[];
  readonly names: readonly string[];
  readonly quoted: readonly string[];
  readonly code: readonly string[];
  readonly identifiers: readonly string[];
  /** Signs of arithmetic, in their order. */
  readonly signs: string;
  /** What other marks say, in their order: operators, flags, smileys. */
  readonly marks: string;
  readonly negations: number;
  /** What is said not to be so, or alone to be so: the stems of the words that a "not" or an "only" stands before. */
  readonly negated: ReadonlySet<string>;
  readonly form: QuestionForm;
  /** What follows the last colon, where that is more than a few words. */
  readonly tail: string | undefined;
}

export interface ValueInText extends Value {
  /** Where it stands among the words. */
  readonly at: number;
}

export function readPrompt(sent: string): Prompt {
  const code = codeIn(sent);
  const level = levelled(sent);
  const text = withoutManners(level);
  const words = wordsIn(text);
  const lower = spelledOut(text).toLowerCase();
  const flat = words.map((word) => word.text);
  const joined = flat.slice(1).map((word, at) => `${flat[at]}${word}`);
  const stems = words.map((word) => word.stem);
  return {
    sent,
    text,
    isForMe: /\b(?:me|us)\b/i.test(level.slice(0, Math.max(0, level.indexOf(text)))),
    plain: flat.join(' '),
    words,
    content: words.filter((word) => word.isContent),
    vocabulary: new Set([...flat, ...stems, ...joined, ...flat.map((word) => word.replaceAll('.', ''))]),
    numbers: numbersIn(text),
    values: valuesIn(flat),
    names: words.filter((word) => word.isName).map((word) => word.text),
    quoted: quotedIn(text),
    code,
    identifiers: words
      .filter((word) => looksLikeIdentifier(word.raw) && !values.has(word.text))
      .map((word) => word.text),
    signs: signsIn(text),
    marks: marksIn(text),
    negations: negationsIn(lower),
    negated: negatedIn(words),
    form: questionForm(lower),
    tail: tailOf(text),
  };
}

const manners: readonly RegExp[] = [
  /^(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))(?: (?:there|all|everyone|team|assistant|bot|claude|gpt|chatgpt))?|ok(?:ay)?|so|um+|well|now|quick question|one (?:more )?(?:question|thing)|question|i have a (?:quick )?question|sorry to bother you|just curious|excuse me)\b\s*[,.!:;-]*\s+(?=\S)/i,
  /^(?:please|pls|plz|kindly)\b[,:]?\s*/i,
  /^(?:can|could|would|will) you (?:please |kindly )?(?:help me (?:to |out (?:and )?)?|go ahead and )?(?:please )?(?=\w)/i,
  /^would you (?:be so kind as to|mind) /i,
  /^(?:i (?:need|want)|i'd like|i would like) you to /i,
  /^(?:i was wondering|i wonder|i'd (?:like|love) to know|i would like to know|i want to know|i need to know|please tell me|tell me|let me know|do you know|can you tell me|can anyone tell me|does anyone know|any idea)\b[,:]?\s+(?=(?:how|what|why|when|where|who|which|whether|if|is|are|can|does|do|should)\b)/i,
  /^(?:tell me|do you know|can you tell me|could you tell me|i(?:'d like| would like| want| need) to know|give me)\s+(?=(?:the|my)\b)/i,
  /[,.!?]?\s*(?:thanks|thank you|thx|cheers|many thanks)(?: (?:so much|a lot|very much|in advance|you))*\s*[.!]*$/i,
  /[,.]?\s+(?:please|pls|plz)(?: help| advise| explain)?\s*(?=[.!?]*$)/i,
  /\s*(?:any help (?:is|would be) (?:welcome|appreciated)|i'd appreciate any help)\s*[.!]*$/i,
];

/** Without greetings, thanks and the ways to say please, which never change what is asked for. */
function withoutManners(text: string): string {
  let bare = text;
  for (let pass = 0; pass < 3; pass++) {
    const before = bare;
    for (const phrase of manners) {
      const shorter = bare.replace(phrase, '').trim();
      if (shorter.length > 2) bare = shorter;
    }
    if (bare === before) break;
  }
  return bare;
}

function codeIn(text: string): string[] {
  const fenced = [...text.matchAll(/```[^\n]*\n?([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...fenced, ...inline].map((piece) => piece.trim());
}

function quotedIn(text: string): string[] {
  const found = text.matchAll(/"+([^"]+)"+|(?<=^|[\s(:])'([^']+(?:'\w+[^']*)*)'(?=$|[\s).,;:!?])/g);
  return [...found].map((match) => plainQuote(match[1] ?? match[2] ?? ''));
}

function plainQuote(text: string): string {
  return text
    .trim()
    .replace(/[.,;:!?]+$/, '')
    .toLowerCase();
}

/** A longer word is none, and the models see no more of it than that it is there. */
const wordCharactersMax = 40;

/** Names that programs, files, hosts and orders have, which no other word stands for, and what the models can't read. */
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

const spoken: readonly (readonly [RegExp, string])[] = [
  [/\b(?:plus|add(?:ed)?|sum)\b/g, '+'],
  [/\b(?:minus|subtract(?:ed)?)\b/g, '-'],
  [/\b(?:times|multipl(?:y|ied)|product)\b|(?<=\d\s?)x(?=\s?\d)/g, '*'],
  [/\bdivided?\b/g, '/'],
  [/\bsquared\b|\bto the power\b/g, '^'],
];

/** Between numbers, whether it is written or said. */
function signsIn(text: string): string {
  const math = /(?<=[\d)\]]|\b[a-z])\s?(\*\*|<=|>=|!=|==|[+*/^<>×÷-])\s?(?=[\d([]|[a-z]\b)/gi;
  const signs = [...text.matchAll(math)]
    .map((match) => match[1] ?? '')
    .filter((sign) => /[^/-]/.test(sign) || /\d\s?[/-]\s?\d/.test(text));
  const lower = text.toLowerCase();
  const said = /\d.*\d|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b/.test(lower)
    ? spoken.flatMap(([word, sign]) => (lower.match(word) ?? []).map(() => sign))
    : [];
  const plain = signs.join(' ').replaceAll('×', '*').replaceAll('÷', '/').replaceAll('**', '^');
  return [...(plain === '' ? [] : plain.split(' ')), ...said].join('');
}

const negation =
  /\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|without|unable|impossible|except|all but|excluding|excludes?|avoid|avoiding|lacks?|lacking|other than|instead of|rather than|fails? to|failed to|refuses? to|but not|hardly|barely)\b/g;

function negationsIn(lower: string): number {
  const bare = lower
    .replaceAll(/\bno (?:more|less|fewer|longer|later|earlier) than\b|\bnot (?:more|less) than\b/g, 'bound')
    .replaceAll(/\b(?:whether or not|or not|why not|no matter|no problem|not only)\b/g, ' ')
    .replaceAll(/\bno\.? (?=\d)/g, 'number ');
  return bare.match(negation)?.length ?? 0;
}

const negators = new Set([
  'not',
  'no',
  'never',
  'without',
  'except',
  'excluding',
  'neither',
  'avoid',
  'only',
  'just',
  'even',
  'almost',
  'nearly',
]);
const inverted = /^(?:is|are|was|were|do|does|did|can|could|should|will|would|have|has|had|am)$/;

/** Small words that something can be said not to be. */
const judging = new Set(['good', 'best', 'well', 'able', 'possible', 'same', 'ok', 'okay']);

/** In "why isn't my printer working" it is said of the whole. */
function negatedIn(words: readonly Word[]): Set<string> {
  const found = new Set<string>();
  for (const [at, { text }] of words.entries()) {
    if (!negators.has(text)) continue;
    const behind = words.slice(at + 1);
    const isSmall = behind[0]?.isContent === false && !judging.has(behind[0].text);
    const isInverted = isSmall && inverted.test(words[at - 1]?.text ?? '');
    const next = behind.find((word) => word.isContent || judging.has(word.text));
    if (!isInverted && next !== undefined) found.add(next.stem);
  }
  return found;
}

/** What follows the last colon, or the first line: the material of a request, mostly. */
function tailOf(text: string): string | undefined {
  const tail = /^[^:]*\s[^:]*:\s+(.*)$/.exec(text)?.[1];
  const plain = tail
    ?.toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim();
  return plain !== undefined && plain.split(' ').length >= 5 ? plain : undefined;
}

function valuesIn(words: readonly string[]): ValueInText[] {
  const found: ValueInText[] = [];
  for (let at = 0; at < words.length; ) {
    const { width, list } = longestValue(words, at);
    for (const value of list) found.push({ ...value, at });
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

function longestValue(words: readonly string[], at: number): { width: number; list: readonly Value[] } {
  for (let width = valueWordsMax; width > 0; width--) {
    const phrase = words.slice(at, at + width).join(' ');
    const list = values.get(symbols.get(phrase) ?? phrase);
    if (list !== undefined) return { width, list };
  }
  const [symbol = ''] = words.slice(at, at + 1);
  const isMoney = /^\p{Sc}$/u.test(symbol);
  return { width: 1, list: isMoney ? [{ kind: 'currency', value: symbol, counts: true }] : [] };
}
