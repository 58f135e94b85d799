import { lineCharsMax } from './limits.ts';

/** A text with its volatile values: words with digits, and the names of days and months. */
export interface ValuedText {
  /** The text with a placeholder for each value. */
  readonly shape: string;
  readonly values: readonly string[];
}

const words = /[A-Za-z0-9_-]+/g;
const digits = /[0-9]/;
const calendarWords =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|am|pm)$/i;

export function findVolatileValues(text: string): ValuedText {
  const values: string[] = [];
  const shape = text.replace(words, (word) => {
    if (!isVolatile(word)) return word;
    values.push(word);
    return '\0';
  });
  return { shape, values };
}

/** The same text with other values. */
export function withValues(text: string, values: Iterator<string>): string {
  return text.replace(words, (word) => (isVolatile(word) ? (values.next().value ?? word) : word));
}

/** The lines and, of long ones, the sentences whose values differ from those known. */
export function changedPassages(text: string, known: Iterator<string>): readonly string[] {
  const passages = text
    .split('\n')
    .flatMap((line) => (line.length > lineCharsMax ? line.split(/(?<=[.!?;]) /) : [line]));
  return passages.filter((passage) => {
    const { values } = findVolatileValues(passage);
    const before = values.map(() => known.next().value);
    return values.some((value, at) => value !== before[at]);
  });
}

function isVolatile(word: string): boolean {
  return digits.test(word) || (word.length <= 9 && calendarWords.test(word));
}
