import { createContentReplacer, type TextMatch } from '../../../module-api.ts';
import { labelOf } from './placeholders.ts';
import type { KnownValue } from './vault.ts';

/** Forms of the brackets around a placeholder, with the way in which a value is written where a model uses them. */
const brackets: readonly Brackets[] = [
  { open: '<', close: '>', write: (value) => value },
  { open: '＜', close: '＞', write: (value) => value },
  { open: '&lt;', close: '&gt;', write: escapeMarkup },
  { open: '%3C', close: '%3E', write: encodeURIComponent },
  { open: '\\u003c', close: '\\u003e', write: (value) => JSON.stringify(value).slice(1, -1) },
];

interface Brackets {
  readonly open: string;
  readonly close: string;
  write(value: string): string;
}

function escapeMarkup(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * For `reply.map`: puts the values back in place of their placeholders. Models write these in other forms: without brackets
 * (`EMAIL_1`), in lower case or with another separator (`<email-1>`), escaped for Markdown, HTML or a URL. Only placeholders that
 * the model was sent are restored, and without brackets only in upper case with an underscore: `email_1` may be a variable.
 */
export function createRestorer(values: readonly KnownValue[], { thoughts }: { readonly thoughts: boolean }) {
  const search = new PlaceholderSearch(values);
  return createContentReplacer({
    find: (text, from) => search.find(text, from),
    holdBackChars: search.charactersMax,
    partialMatchAt: (text) => search.partialMatchAt(text),
    in: thoughts ? ['text', 'tool-input', 'thinking'] : ['text', 'tool-input'],
  });
}

/** Puts the values back in place of their placeholders in a whole text. */
export function createTextRestorer(values: readonly KnownValue[]): (text: string) => string {
  const search = new PlaceholderSearch(values);
  return (text) => {
    let restored = '';
    let at = 0;
    for (const { start, end, replacement } of search.find(text, 0)) {
      restored += text.slice(at, start) + replacement;
      at = end;
    }
    return restored + text.slice(at);
  };
}

class PlaceholderSearch {
  /** By label without separators, and number: `CREDITCARD 1`. */
  readonly #values = new Map<string, string>();
  /** Labels as they are written: `CREDIT_CARD`. */
  readonly #labels: readonly string[];
  readonly #pattern: RegExp;
  readonly charactersMax: number;

  constructor(values: readonly KnownValue[]) {
    for (const { placeholder, value } of values) {
      const [, label = '', number = ''] = /^<(.*)_(\d+)>$/.exec(placeholder) ?? [];
      this.#values.set(`${compact(label)} ${number}`, value);
    }
    this.#labels = [...new Set(values.map(({ kind }) => labelOf(kind)))];
    const opening = brackets.map(({ open }) => RegExp.escape(open)).join('|');
    const closing = brackets.map(({ close }) => RegExp.escape(close)).join('|');
    const label = this.#labels.map((one) => one.split('_').join(separator)).join('|');
    this.#pattern = new RegExp(`(${opening})?(${label})${separator}(\\d{1,5})(?![0-9])(${closing})?`, 'gi');
    this.charactersMax =
      2 * Math.max(...brackets.map(({ open }) => open.length)) +
      2 * Math.max(0, ...values.map(({ placeholder }) => placeholder.length));
  }

  *find(text: string, from: number): Generator<TextMatch> {
    this.#pattern.lastIndex = from;
    for (let match = this.#pattern.exec(text); match !== null; match = this.#pattern.exec(text)) {
      const { lastIndex } = this.#pattern;
      const found = this.#matchOf(text, match);
      if (found !== undefined) yield found;
      this.#pattern.lastIndex = lastIndex;
    }
  }

  #matchOf(text: string, match: RegExpExecArray): TextMatch | undefined {
    const [whole, open = '', label = '', number = '', close = ''] = match;
    const value = this.#values.get(`${compact(label)} ${Number(number)}`);
    if (value === undefined) return undefined;
    const pair = brackets.find((one) => isSame(one.open, open) && isSame(one.close, close));
    if (pair !== undefined)
      return { start: match.index, end: match.index + whole.length, replacement: pair.write(value) };
    const start = match.index + open.length;
    const end = match.index + whole.length - close.length;
    const isBare = bareForm.test(text.slice(start, end)) && !wordCharacter.test(text.charAt(end));
    const before = text.charAt(start - 1);
    // `</EMAIL_1>` is a tag that the model made up.
    const isWord = !wordCharacter.test(before) && !(before === '/' && text.charAt(start - 2) === '<');
    return isBare && isWord ? { start, end, replacement: value } : undefined;
  }

  /** Where the text may end with the beginning of a placeholder. */
  partialMatchAt(text: string): number {
    for (let at = Math.max(0, text.length - this.charactersMax); at < text.length; at++)
      if (this.#mayBegin(text, at)) return at;
    return text.length;
  }

  #mayBegin(text: string, at: number): boolean {
    const rest = text.slice(at);
    for (const { open, close } of brackets) {
      if (rest.length < open.length && isSame(open.slice(0, rest.length), rest)) return true;
      if (isSame(open, rest.slice(0, open.length)) && this.#isPart(rest.slice(open.length), close))
        return true;
    }
    return barePart.test(rest) && !wordCharacter.test(text.charAt(at - 1)) && this.#isPart(rest, '');
  }

  /** Whether a text without its opening bracket may become a placeholder. */
  #isPart(rest: string, close: string): boolean {
    const end = rest.search(outsideCharacter) < 0 ? rest.length : rest.search(outsideCharacter);
    const begun = compact(rest.slice(0, end));
    const after = rest.slice(end);
    if (after !== '' && (after.length >= close.length || !isSame(close.slice(0, after.length), after)))
      return false;
    return this.#labels.some((label) => {
      const whole = compact(label);
      if (after === '' && whole.startsWith(begun)) return true;
      return begun.startsWith(whole) && digits.test(begun.slice(whole.length));
    });
  }
}

/** Between the words of a placeholder: nothing, one of these, or an underscore that is escaped for Markdown. */
const separator = '(?:\\\\?_|[ -])?';
const bareForm = /^[A-Z0-9]+(?:\\?_[A-Z0-9]+)*\\?_\d+$/;
const barePart = /^[A-Z][A-Z0-9_\\]*$/;
const outsideCharacter = /[^A-Za-z0-9_ \\-]/;
const digits = /^\d{1,5}$/;
const wordCharacter = /[A-Za-z0-9_]/;

function compact(label: string): string {
  return label.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
