/** A word or punctuation mark of a text, with its token ids. */
export interface TokenizedWord {
  /** Its position in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly ids: readonly number[];
}

/** Splits texts into MiniLM's word pieces: lower case, without accents, longest match first. */
export class WordPieceTokenizer {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #longest: number;

  /** Token ids by piece; pieces within a word begin with `##`. */
  constructor(vocabulary: Readonly<Record<string, number>>) {
    this.#ids = new Map(Object.entries(vocabulary));
    let longest = 0;
    for (const piece of this.#ids.keys()) longest = Math.max(longest, piece.length);
    this.#longest = longest;
  }

  /** Without the start and end tokens. Special tokens like `[SEP]` in a text are treated as text. */
  encode(text: string): readonly number[] {
    return this.words(text).flatMap(({ ids }) => ids);
  }

  /** The words of a text in its order; each punctuation mark is its own word. */
  words(text: string): readonly TokenizedWord[] {
    const words: TokenizedWord[] = [];
    let word = '';
    let start = 0;
    let end = 0;
    const endWord = () => {
      if (word !== '') words.push({ start, end, ids: this.#split(word) });
      word = '';
    };
    let at = 0;
    for (const character of text) {
      const { kind, folded } = classify(character);
      if (kind === 'space' || kind === 'alone') endWord();
      if (kind === 'alone' || kind === 'letter') {
        if (word === '') start = at;
        word += folded;
        if (word !== '') end = at + character.length;
      }
      if (kind === 'alone') endWord();
      at += character.length;
    }
    endWord();
    return words;
  }

  /** Linear in the length of the word, because the length of a piece is bounded. */
  #split(word: string): readonly number[] {
    if (word.length > wordCharactersMax) return unknownWord;
    const ids: number[] = [];
    for (let from = 0; from < word.length; ) {
      const prefix = from === 0 ? '' : '##';
      let until = Math.min(word.length, from + this.#longest - prefix.length);
      let id: number | undefined;
      for (; until > from; until--) {
        id = this.#ids.get(prefix + word.slice(from, until));
        if (id !== undefined) break;
      }
      if (id === undefined) return unknownWord;
      ids.push(id);
      from = until;
    }
    return ids;
  }
}

export const clsTokenId = 101;
export const sepTokenId = 102;
const unknownWord = [100];
/** A longer word becomes one unknown token, as in the model's training. */
const wordCharactersMax = 100;

interface CharacterClass {
  readonly kind: 'space' | 'unreadable' | 'alone' | 'letter';
  /** In lower case and without accents; empty for an accent. */
  readonly folded: string;
}

function classify(character: string): CharacterClass {
  const known = characterClasses.get(character);
  if (known !== undefined) return known;
  const characterClass = classifyNew(character);
  if (character < cachedCharactersEnd) characterClasses.set(character, characterClass);
  return characterClass;
}

/** Of alphabetic scripts. */
const characterClasses = new Map<string, CharacterClass>();
const cachedCharactersEnd = '\u3000';

function classifyNew(character: string): CharacterClass {
  if (space.test(character)) return { kind: 'space', folded: '' };
  if (unreadable.test(character)) return { kind: 'unreadable', folded: '' };
  const folded = character.normalize('NFD').replace(accent, '').toLowerCase();
  return { kind: alone.test(character) ? 'alone' : 'letter', folded };
}

const space = /[\s\p{Zs}]/u;
const unreadable = /[\p{C}\ufffd]/u;
const accent = /\p{Mn}/gu;
/** Punctuation, in ASCII everything but letters, digits and spaces; and ideographs. */
const alone =
  /[\p{P}$+<=>^`|~\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/u;
