import { type Letter, Letters, space } from './letters.ts';

/** A word or phrase to find. */
export interface Entry<Value> {
  readonly text: string;
  readonly value: Value;
  /** Whether it is also found inside of longer words. */
  readonly isInner?: boolean;
}

export interface WordMatch<Value> {
  readonly start: number;
  readonly end: number;
  readonly value: Value;
}

interface FoundEntry<Value> extends WordMatch<Value> {
  readonly isInner: boolean;
}

/** A letter of an entry, with what may follow. */
interface Node<Value> {
  readonly code: number;
  readonly children: Map<number, Node<Value>>;
  /** Set at the end of an entry. */
  entry?: Entry<Value>;
}

/** Kinds of characters: ASCII letters are 0 to 25. */
const kindOf = { gap: 26, symbol: 27, other: 28 } as const;
const kindsCount = 29;

/** In which trees entries may begin with three characters. */
const inWords = 1;
const inInner = 2;
const inAny = inWords | inInner;
const inNone = 4;

/** Steps from one position: more than any word takes, in whatever way it is written. */
const stepsMax = 200;
/** Letters on each side of a match that is inside of a word. */
const surroundingMax = 20;
/** Invisible characters in a row. */
const invisibleMax = 8;
const wildcard = '*'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
/** Letters of escapes in JSON and code. */
const escapes = new Set([...'bfnrt'].map((letter) => letter.charCodeAt(0)));
const letterA = 'a'.charCodeAt(0);
const letterS = 's'.charCodeAt(0);
/** Plurals. */
const endings = new Set([letterS, 'z'.charCodeAt(0)]);
const vowels = new Set([...'aeiou'].map((letter) => letter.charCodeAt(0)));
const hyphens = new Set([...'-_\u2010\u2011'].map((letter) => letter.charCodeAt(0)));
/** Separators in `f.u.c.k`. */
const separators = new Set([...' .-_*/·,'].map((letter) => letter.charCodeAt(0)));
/** Scripts that don't separate words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;

/**
 * Finds words also if they are disguised: by case, accents, width, look-alikes of other scripts, invisible characters, digits and
 * symbols in place of letters, repeated letters, an asterisk, or separators between all letters. Reads a bounded number of
 * characters from each position.
 */
export class WordMatcher<Value> {
  /** Longest match in UTF-16 units. */
  readonly charactersMax: number;
  readonly #letters = new Letters();
  /** Entries that are found at the beginning of a word, and those that are found anywhere. */
  readonly #words: Node<Value> = { code: 0, children: new Map() };
  readonly #inner: Node<Value> = { code: 0, children: new Map() };
  /** By three kinds of characters; 0 where nobody asked. */
  readonly #beginnings = new Uint8Array(kindsCount ** 3);

  constructor(entries: Iterable<Entry<Value>>) {
    let longest = 0;
    let hasInner = false;
    for (const entry of entries) {
      const isInner = entry.isInner === true || unspaced.test(entry.text);
      const letters = this.#codesOf(entry.text);
      hasInner ||= isInner;
      longest = Math.max(longest, letters.length);
      insert(isInner ? this.#inner : this.#words, letters, { ...entry, isInner });
    }
    this.charactersMax = 2 * longest + 8 + (hasInner ? 2 * surroundingMax : 0);
  }

  /** The longest match from each position, leftmost first; they don't overlap. */
  find(text: string): readonly WordMatch<Value>[] {
    const found: WordMatch<Value>[] = [];
    const kinds = kindsOf(text);
    const beginnings = this.#beginnings;
    let isInWord = false;
    for (let at = 0; at < text.length; ) {
      const first = kinds[at] ?? kindOf.gap;
      const second = kinds[at + 1] ?? kindOf.gap;
      const third = kinds[at + 2] ?? kindOf.gap;
      let trees = beginnings[(first * kindsCount + second) * kindsCount + third] ?? inNone;
      if (trees === 0) trees = this.#learnBeginning([first, second, third]);
      // Letters with separators, as in `s h i t`.
      const isLetter = first < kindOf.gap && second === kindOf.gap;
      if (isLetter && third < kindOf.gap && kinds[at + 3] === kindOf.gap) trees |= inWords;
      // A search from the first of equal letters has found what begins with the others.
      if (isInWord) trees &= first === kinds[at - 1] && first < kindOf.gap ? inNone : inInner;
      const match = (trees & inAny) === 0 ? undefined : this.#matchAt(text, at, trees);
      if (match !== undefined) {
        const whole = match.isInner ? wordAround(kinds, match, found.at(-1)?.end ?? 0) : match;
        if (!isEncoded(text, whole)) found.push({ ...whole, value: match.value });
        isInWord = true;
        at = whole.end;
      } else if (first <= kindOf.gap) {
        isInWord = first < kindOf.gap;
        at++;
      } else {
        const code = codeAt(text, at);
        const { code: own, isWord } = this.#letters.of(code);
        if (own !== 0) isInWord = isWord;
        at += code > 0xffff ? 2 : 1;
      }
    }
    return found;
  }

  #codesOf(text: string): readonly number[] {
    const codes = [...text].map((character) => this.#letters.of(character.codePointAt(0) ?? 0).code);
    return codes.filter((code, index) => code !== 0 && !(code === space && codes[index - 1] === space));
  }

  #matchAt(text: string, start: number, trees: number): FoundEntry<Value> | undefined {
    const { code, standsFor } = this.#letters.of(codeAt(text, start));
    const begins = (root: Node<Value>) =>
      root.children.has(code) || standsFor.some((letter) => root.children.has(letter));
    const { charactersMax } = this;
    const search = new Search<Value>(text, start, { letters: this.#letters, charactersMax });
    const match = (trees & inWords) !== 0 && begins(this.#words) ? search.run(this.#words) : undefined;
    return match ?? ((trees & inInner) !== 0 && begins(this.#inner) ? search.run(this.#inner) : undefined);
  }

  /** The trees whose entries may begin with characters of these kinds, which rules out most words. */
  #learnBeginning(kinds: readonly number[]): number {
    const unsure = kinds.findIndex((kind) => kind > kindOf.gap);
    const letters = kinds
      .slice(0, unsure < 0 ? kinds.length : unsure)
      .map((kind) => (kind === kindOf.gap ? space : kind + letterA));
    const [first = 0, second = 0, third = 0] = kinds;
    // A blank begins nothing, and a symbol alone stands for no letter.
    const isNothing = first === kindOf.gap || (first === kindOf.symbol && second === kindOf.gap);
    const isWord = !isNothing && mayBegin(this.#words, letters);
    const isInner = !isNothing && mayBegin(this.#inner, letters);
    const trees = (isWord ? inWords : 0) | (isInner ? inInner : 0);
    this.#beginnings[(first * kindsCount + second) * kindsCount + third] = trees === 0 ? inNone : trees;
    return trees;
  }
}

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
class Search<Value> {
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

/** The letters around a match, after the previous one. */
function wordAround(
  kinds: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
  after: number,
): { readonly start: number; readonly end: number } {
  let from = start;
  let to = end;
  while (from > after && start - from < surroundingMax && (kinds[from - 1] ?? kindOf.gap) < kindOf.gap)
    from--;
  while (to - end < surroundingMax && (kinds[to] ?? kindOf.gap) < kindOf.gap) to++;
  return { start: from, end: to };
}

/** Whether an entry begins with these letters, with some of them repeated or spaces left out. */
function mayBegin<Value>(node: Node<Value>, letters: readonly number[]): boolean {
  const [letter, ...others] = letters;
  if (letter === undefined) return true;
  if (node.entry !== undefined && (letter === space || endings.has(letter))) return true;
  if (letter === node.code && mayBegin(node, others)) return true;
  const phrase = node.children.get(space);
  if (phrase !== undefined && mayBegin(phrase, letters)) return true;
  const child = node.children.get(letter);
  return child !== undefined && (child.entry?.isInner === true || mayBegin(child, others));
}

/** Blanks and marks end a word; anything else but ASCII letters may be part of one. */
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  if (/[a-z]/.test(character)) return character.charCodeAt(0) - letterA;
  if (/[\s.,;:?"'`()[\]{}<>=&#%^~\\]/.test(character)) return kindOf.gap;
  return /[0-9]/.test(character) ? kindOf.other : kindOf.symbol;
});

function kindsOf(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length + 3).fill(kindOf.gap, text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    kinds[at] = asciiKinds[code] ?? kindOf.other;
    // The letter of an escape such as \t is no part of a word.
    if (code === backslash && escapes.has(text.charCodeAt(at + 1))) kinds[++at] = kindOf.gap;
  }
  return kinds;
}

/** Whether it looks like a part of encoded bytes: next to a digit or symbol of base64, with both cases. */
function isEncoded(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const isNext = /[0-9+/=]/.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`);
  return isNext && !/^(?:[^A-Z]*|[^a-z]*|[A-Z][^A-Z]*)$/.test(text.slice(start, end));
}

function insert<Value>(root: Node<Value>, codes: readonly number[], entry: Entry<Value>): void {
  let node = root;
  for (const code of codes) {
    const child: Node<Value> = node.children.get(code) ?? { code, children: new Map() };
    node.children.set(code, child);
    node = child;
  }
  node.entry = entry;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function codeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 0xd800 ? unit : (text.codePointAt(at) ?? unit);
}
