const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ordinals =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const scales: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['k', 1000],
  ['lakh', 100_000],
  ['million', 1_000_000],
  ['m', 1_000_000],
  ['crore', 10_000_000],
  ['billion', 1_000_000_000],
  ['bn', 1_000_000_000],
  ['trillion', 1_000_000_000_000],
]);
const fixed: ReadonlyMap<string, number> = new Map([
  ['half', 0.5],
  ['dozen', 12],
  ['double', 2],
  ['twice', 2],
  ['triple', 3],
  ['thrice', 3],
  ['quarter', 0.25],
  ['i', Number.NaN],
  ...small.map((word, at) => [word, at] as const),
  ...tens.map((word, at) => [word, (at + 2) * 10] as const),
]);
/** Roman numbers that are no words, in a row of names: World War II, Henry VIII. */
const roman: ReadonlyMap<string, number> = new Map(
  'II III IV VI VII VIII IX XI XII XIII XIV XV XVI'
    .split(' ')
    .map((text, at) => [text, [2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16][at] ?? 0]),
);

const less =
  /\b(?:under|below|less than|fewer than|at most|no more than|not more than|up to|maximum(?: of)?|max|no longer than|not exceeding|cheaper than|shorter than|smaller than|younger than)\s*$/;
const more =
  /\b(?:over|above|more than|greater than|at least|no less than|not less than|no fewer than|minimum(?: of)?|min|exceeding|longer than|larger than|older than|beyond)\s*$/;

export interface NumberInText {
  /** As a decimal, or as it stands where that is no number: a version, a date, a time. */
  readonly value: string;
  /** What bounds it: "<" and ">", or nothing. */
  readonly bound: string;
  /** The word that follows: a unit, mostly. */
  readonly next: string;
}

const written =
  /(?<![\p{L}\d])(?:v(?=\d))?(#?-?\p{Sc}?\d[\d,]*(?:[.:/-]\d+)*)(?:(st|nd|rd|th)\b|([a-z°%]{1,4})(?![\p{L}\d]))?|\b[a-z]+\b/giu;

/** Longer ones are compared as they stand: they would be rounded. */
const exactDigits = 15;

/** Two numbers with a sign between them are two; a date, a version or a time is one. */
function parted(text: string): string {
  return text.replaceAll(/(?<![\d./:-])(\d{1,4})([-/])(\d{1,4})(?![\d./:-])/g, '$1 $2 $3');
}

/** The numbers of a text in their order, in words or in digits. "One" is none: it stands for many things. */
export function numbersIn(whole: string): NumberInText[] {
  const text = parted(whole);
  const found: NumberInText[] = [];
  let sum: number | undefined;
  let startedAt = 0;
  const flush = (endedAt: number) => {
    if (sum !== undefined) found.push(numberAt(text, String(sum), startedAt, endedAt));
    sum = undefined;
  };
  let endedAt = 0;
  for (const match of text.matchAll(written)) {
    const [whole, digits, ordinal, unit] = match;
    const word = whole.toLowerCase();
    const scale = scales.get(word);
    if (digits === undefined) {
      const isOne = word === 'one' || word === 'first';
      const value = isOne
        ? undefined
        : (fixed.get(word) ?? nonNegative(ordinals.indexOf(word)) ?? roman.get(whole));
      if (sum !== undefined && scale !== undefined && text.slice(endedAt, match.index).trim() === '') {
        sum *= scale;
        endedAt = match.index + whole.length;
        continue;
      }
      if (value === undefined || Number.isNaN(value)) {
        if (sum !== undefined && word !== 'and') flush(endedAt);
        continue;
      }
      const joined = sum !== undefined && text.slice(endedAt, match.index).trim().replace('-', '') === '';
      if (joined && sum !== undefined) sum += value;
      else {
        flush(endedAt);
        sum = value;
        startedAt = match.index;
      }
      endedAt = match.index + whole.length;
      continue;
    }
    flush(endedAt);
    const factor = unit === undefined ? undefined : scales.get(unit.toLowerCase());
    const plain = digits.replaceAll(/,(?=\d{3})|[#\p{Sc}]/gu, '').replace(/,$/, '');
    endedAt = match.index + whole.length;
    if (/^-?\d+(?:\.\d+)?$/.test(plain) && plain.length <= exactDigits && ordinal === undefined) {
      sum = Number(plain.replace(/^-/, () => (isRange(text, match.index) ? '' : '-'))) * (factor ?? 1);
      startedAt = match.index;
      if (unit !== undefined && factor === undefined) {
        const value = /^[ap]m$/i.test(unit) ? `${sum}${unit.toLowerCase()}` : String(sum);
        found.push({ ...numberAt(text, value, startedAt, endedAt), next: unit.toLowerCase() });
        sum = undefined;
      }
    } else found.push(numberAt(text, plain.replace(/^0+(?=\d)/, ''), match.index, endedAt));
  }
  flush(endedAt);
  return found;
}

function isRange(text: string, at: number): boolean {
  return /\d\s*$|\p{L}$/u.test(text.slice(Math.max(0, at - boundCharacters), at));
}

function nonNegative(at: number): number | undefined {
  return at > 1 ? at : undefined;
}

/** What bounds a number stands right before it. */
const boundCharacters = 40;

function numberAt(text: string, value: string, startedAt: number, endedAt: number): NumberInText {
  const before = text
    .slice(Math.max(0, startedAt - boundCharacters), startedAt)
    .toLowerCase()
    .replace(/(?:rs\.?|inr|usd|eur|gbp|\p{Sc})\s*$/u, '');
  const bound = less.test(before) ? '<' : more.test(before) ? '>' : '';
  const next =
    /^\s*-?\s*([a-z°%]+)/i.exec(text.slice(endedAt, endedAt + boundCharacters))?.[1]?.toLowerCase() ?? '';
  return /^[ap]m$/.test(next) ? { value: `${value}${next}`, bound, next: '' } : { value, bound, next };
}
