import { codeAt } from '../code-at.ts';
import { kindOf, kindsCount, kindsOf, letterA } from './character-kinds.ts';
import { type Entry, type FoundEntry, insert, mayBegin, type Node, type WordMatch } from './entry-tree.ts';
import { Letters, space } from './letters.ts';
import { WordSearch } from './word-search.ts';

/** In which trees entries may begin with three characters. */
const inWords = 1;
const inInner = 2;
const inAny = inWords | inInner;
const inNone = 4;

/** Letters on each side of a match that is inside of a word. */
const surroundingMax = 20;
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
    const search = new WordSearch<Value>(text, start, { letters: this.#letters, charactersMax });
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

/** Whether it looks like a part of encoded bytes: next to a digit or symbol of base64, with both cases. */
function isEncoded(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const isNext = /[0-9+/=]/.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`);
  return isNext && !/^(?:[^A-Z]*|[^a-z]*|[A-Z][^A-Z]*)$/.test(text.slice(start, end));
}
