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
    const ids: number[] = [];
    for (const [word] of normalizeText(text).matchAll(wordPattern)) this.#add(word, ids);
    return ids;
  }

  /** Linear in the length of the word, because the length of a piece is bounded. */
  #add(word: string, ids: number[]): void {
    const before = ids.length;
    for (let from = 0; from < word.length; ) {
      const prefix = from === 0 ? '' : '##';
      let until = Math.min(word.length, from + this.#longest - prefix.length);
      let id: number | undefined;
      for (; until > from; until--) {
        id = this.#ids.get(prefix + word.slice(from, until));
        if (id !== undefined) break;
      }
      if (id === undefined || word.length > wordCharactersMax) {
        ids.length = before;
        ids.push(unknownTokenId);
        return;
      }
      ids.push(id);
      from = until;
    }
  }
}

export const clsTokenId = 101;
export const sepTokenId = 102;
const unknownTokenId = 100;
/** A longer word becomes one unknown token, as in the model's training. */
const wordCharactersMax = 100;

function normalizeText(text: string): string {
  return text
    .replace(space, ' ')
    .replace(unreadable, '')
    .replace(ideograph, ' $& ')
    .normalize('NFD')
    .replace(accent, '')
    .toLowerCase();
}

const space = /[\s\p{Zs}]/gu;
const unreadable = /[\p{C}\ufffd]/gu;
const ideograph =
  /[\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/gu;
const accent = /\p{Mn}/gu;
/** Each punctuation mark is its own word; in ASCII that is everything but letters, digits and spaces. */
const wordPattern = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
