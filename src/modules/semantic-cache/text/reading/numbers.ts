import { numberOf, scaleOf } from './number-words.ts';

const upperBoundPattern =
  /\b(?:under|below|less than|fewer than|at most|no more than|not more than|up to|maximum(?: of)?|max|no longer than|not exceeding|cheaper than|shorter than|smaller than|younger than)\s*$/;
const lowerBoundPattern =
  /\b(?:over|above|more than|greater than|at least|no less than|not less than|no fewer than|minimum(?: of)?|min|exceeding|longer than|larger than|older than|beyond)\s*$/;

export interface NumberInText {
  /** A decimal, or the text of a version, date or time. */
  readonly value: string;
  /** Its bound: "<", ">" or empty. */
  readonly bound: string;
  /** The next word, usually a unit. */
  readonly next: string;
}

const numberOrWordPattern =
  /(?<![\p{L}\d])(?:v(?=\d))?(#?-?\p{Sc}?\d[\d,]*(?:[.:/-]\d+)*)(?:(st|nd|rd|th)\b|([a-z°%]{1,4})(?![\p{L}\d]))?|\b[a-z]+\b/giu;

/** Longer numbers are compared as text, because they would be rounded. */
const exactDigits = 15;

/** Splits ranges into two numbers, but not dates, versions and times. */
function separateRanges(text: string): string {
  return text.replaceAll(/(?<![\d./:-])(\d{1,4})([-/])(\d{1,4})(?![\d./:-])/g, '$1 $2 $3');
}

/** The numbers of a text in order, as words or digits, without the ambiguous "one". */
export function numbersIn(text: string): NumberInText[] {
  const plain = separateRanges(text);
  const reader = new NumberReader(plain);
  for (const match of plain.matchAll(numberOrWordPattern)) reader.read(match);
  return reader.end();
}

class NumberReader {
  readonly #text: string;
  readonly #found: NumberInText[] = [];
  /** A number that the next word may continue: "two hundred", "5 million". */
  #open: { readonly sum: number; readonly startedAt: number } | undefined;
  #endedAt = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(match: RegExpExecArray): void {
    if (match[1] === undefined) this.#readWord(match);
    else this.#readDigits(match, match[1]);
  }

  end(): NumberInText[] {
    this.#close();
    return this.#found;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { sum, startedAt } = this.#open;
    this.#found.push(numberAt(this.#text, String(sum), { startedAt, endedAt: this.#endedAt }));
    this.#open = undefined;
  }

  #readWord({ 0: word, index }: RegExpExecArray): void {
    const open = this.#open;
    const between = open === undefined ? undefined : this.#text.slice(this.#endedAt, index).trim();
    const scale = scaleOf(word);
    const value = numberOf(word);
    if (open !== undefined && scale !== undefined && between === '') {
      this.#open = { ...open, sum: open.sum * scale };
    } else if (value === undefined) {
      if (word.toLowerCase() !== 'and') this.#close();
      return;
    } else if (open !== undefined && between?.replace('-', '') === '') {
      this.#open = { ...open, sum: open.sum + value };
    } else {
      this.#close();
      this.#open = { sum: value, startedAt: index };
    }
    this.#endedAt = index + word.length;
  }

  #readDigits({ 0: whole, 2: ordinal, 3: unit, index }: RegExpExecArray, digits: string): void {
    this.#close();
    const place = { startedAt: index, endedAt: index + whole.length };
    this.#endedAt = place.endedAt;
    const plain = digits.replaceAll(/,(?=\d{3})|[#\p{Sc}]/gu, '').replace(/,$/, '');
    if (!/^-?\d+(?:\.\d+)?$/.test(plain) || plain.length > exactDigits || ordinal !== undefined) {
      this.#found.push(numberAt(this.#text, plain.replace(/^0+(?=\d)/, ''), place));
      return;
    }
    const scale = unit === undefined ? undefined : scaleOf(unit);
    const sum = Number(plain.replace(/^-/, () => (isRange(this.#text, index) ? '' : '-'))) * (scale ?? 1);
    if (unit === undefined || scale !== undefined) {
      this.#open = { sum, startedAt: index };
      return;
    }
    const next = unit.toLowerCase();
    const value = /^[ap]m$/.test(next) ? `${sum}${next}` : String(sum);
    this.#found.push({ ...numberAt(this.#text, value, place), next });
  }
}

/** Whether a minus sign here separates a range instead of negating the number. */
function isRange(text: string, at: number): boolean {
  return /\d\s*$|\p{L}$/u.test(text.slice(Math.max(0, at - boundCharacters), at));
}

/** How far before a number its bound is searched, and behind it its unit. */
const boundCharacters = 40;

function numberAt(
  text: string,
  value: string,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
): NumberInText {
  const before = text
    .slice(Math.max(0, startedAt - boundCharacters), startedAt)
    .toLowerCase()
    .replace(/(?:rs\.?|inr|usd|eur|gbp|\p{Sc})\s*$/u, '');
  const bound = upperBoundPattern.test(before) ? '<' : lowerBoundPattern.test(before) ? '>' : '';
  const next =
    /^\s*(?:-\s*)?([a-z°%]+)/i.exec(text.slice(endedAt, endedAt + boundCharacters))?.[1]?.toLowerCase() ?? '';
  return /^[ap]m$/.test(next) ? { value: `${value}${next}`, bound, next: '' } : { value, bound, next };
}
