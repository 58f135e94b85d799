import { codeAt } from '../code-at.ts';
import { endings, type FoundEntry, letterS, type Node } from './entry-tree.ts';
import { type Letter, type Letters, space } from './letters.ts';

/** Steps from one position: more than any word takes, in whatever way it is written. */
const stepsMax = 200;
/** Invisible characters in a row. */
const invisibleMax = 8;
const wildcard = '*'.charCodeAt(0);
const vowels = new Set([...'aeiou'].map((letter) => letter.charCodeAt(0)));
const hyphens = new Set([...'-_\u2010\u2011'].map((letter) => letter.charCodeAt(0)));
/** Separators in `f.u.c.k`. */
const separators = new Set([...' .-_*/·,'].map((letter) => letter.charCodeAt(0)));

interface SearchParts {
  readonly letters: Letters;
  readonly charactersMax: number;
}

/** How the letters so far were written. */
interface Way {
  /** Digits and symbols in place of letters. */
  readonly replaced: number;
  /** Asterisks in place of letters. */
  readonly hidden: number;
  readonly isSpaced: boolean;
}

const plainWay: Way = { replaced: 0, hidden: 0, isSpaced: false };
const spacedWay: Way = { ...plainWay, isSpaced: true };

interface Step {
  readonly at: number;
  readonly after: number;
  readonly way: Way;
}

/** A search for the longest entry from one position. */
export class WordSearch<Value> {
  readonly #text: string;
  readonly #start: number;
  readonly #letters: Letters;
  readonly #limit: number;
  #steps = 0;
  #longest: FoundEntry<Value> | undefined;

  constructor(text: string, start: number, { letters, charactersMax }: SearchParts) {
    this.#text = text;
    this.#start = start;
    this.#letters = letters;
    this.#limit = Math.min(text.length, start + charactersMax);
  }

  run(root: Node<Value>): FoundEntry<Value> | undefined {
    this.#steps = stepsMax;
    this.#continue(root, this.#start, plainWay);
    if (this.#isSpacedOut()) this.#continue(root, this.#start, spacedWay);
    return this.#longest;
  }

  #continue(node: Node<Value>, at: number, way: Way): void {
    if (at >= this.#limit || --this.#steps < 0) return;
    const code = codeAt(this.#text, at);
    const letter = this.#letters.of(code);
    const step = { at, after: at + (code > 0xffff ? 2 : 1), way };
    if (at === this.#start) {
      this.#read(node, letter, step);
      return;
    }
    const isSeparated = way.isSpaced && separators.has(this.#text.charCodeAt(at - 1));
    if (letter.code === 0 || (way.isSpaced && !isSeparated)) {
      if (letter.code === 0 || separators.has(code)) this.#continue(node, step.after, way);
      return;
    }
    this.#read(node, letter, step);
    this.#readGap(node, code, step);
    if (code === wildcard && this.#hidesLetter(at))
      for (const child of node.children.values())
        if (child.code !== space) this.#enter(child, step.after, { ...way, hidden: way.hidden + 1 });
  }

  #enter(node: Node<Value>, at: number, way: Way): void {
    this.#accept(node, at, way);
    this.#continue(node, at, way);
  }

  #read(node: Node<Value>, { code, standsFor }: Letter, step: Step): void {
    this.#readAs(node, code, step);
    if (standsFor.length === 0) return;
    const way = { ...step.way, replaced: step.way.replaced + 1 };
    for (const letter of standsFor) this.#readAs(node, letter, { ...step, way });
  }

  /** The character as a letter of the entry, or as a repetition of the last one. */
  #readAs(node: Node<Value>, letter: number, { at, after, way }: Step): void {
    const child = node.children.get(letter);
    if (child !== undefined) this.#enter(child, after, way);
    if (letter === node.code && ((child === undefined && vowels.has(letter)) || this.#isRun(at)))
      this.#enter(node, after, way);
  }

  /** Further blanks, a hyphen in a word, and a blank of the entry that the text leaves out. */
  #readGap(node: Node<Value>, code: number, { at, after, way }: Step): void {
    const phrase = node.children.get(space);
    const isGap = this.#letters.of(code).code === space;
    if (!isGap && phrase !== undefined) this.#continue(phrase, at, way);
    const isHyphen = hyphens.has(code) && phrase === undefined && this.#isLetter(after);
    if ((isGap && node.code === space) || isHyphen) this.#continue(node, after, way);
  }

  #accept({ entry, code }: Node<Value>, at: number, { replaced, hidden, isSpaced }: Way): void {
    if (entry === undefined || at <= (this.#longest?.end ?? 0)) return;
    // A number is no word, and three characters with an asterisk may be anything.
    const { length } = entry.text;
    if (replaced + hidden > (length * 2) / 3 || (hidden > 0 && length < 4)) return;
    const end = entry.isInner === true && !isSpaced ? at : this.#endOfWord(at, code);
    if (end !== undefined)
      this.#longest = { start: this.#start, end, value: entry.value, isInner: entry.isInner === true };
  }

  /** The end of a word that may have a plural; undefined if the word goes on. */
  #endOfWord(at: number, last: number): number | undefined {
    if (!this.#isLetter(at)) return at;
    const { code } = this.#letters.of(codeAt(this.#text, at));
    const isPlural = endings.has(code) && last !== letterS && at - this.#start > 3;
    return isPlural && !this.#isLetter(at + 1) ? at + 1 : undefined;
  }

  /** Whether the next visible character is a letter. */
  #isLetter(at: number): boolean {
    for (let next = at; next < Math.min(at + invisibleMax, this.#text.length); next++) {
      const { code, isWord } = this.#letters.of(codeAt(this.#text, next));
      if (code !== 0) return isWord && !isDigit(code);
    }
    return false;
  }

  /** Whether the letter is at least the third of its kind. */
  #isRun(at: number): boolean {
    const { code } = this.#letters.of(codeAt(this.#text, at));
    const isSame = (index: number) =>
      index >= 0 && index < this.#text.length && this.#letters.of(codeAt(this.#text, index)).code === code;
    return isSame(at - 1) && (isSame(at - 2) || isSame(at + 1));
  }

  /** Whether an asterisk stands between letters. */
  #hidesLetter(at: number): boolean {
    let next = at + 1;
    while (this.#text.charCodeAt(next) === wildcard && next < at + 3) next++;
    return this.#isLetter(next);
  }

  /** Whether three letters with separators follow. */
  #isSpacedOut(): boolean {
    for (let at = this.#start; at < this.#start + 5; at += 2)
      if (this.#isLetter(at + 1) || !this.#letters.of(this.#text.charCodeAt(at) || 0).isWord) return false;
    return true;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
