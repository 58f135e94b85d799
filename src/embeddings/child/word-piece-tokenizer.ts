/** Cuts texts into the pieces that MiniLM knows: lower case, without accents, the longest piece first. */
export class WordPieceTokenizer {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #longest: number;

  /** Pieces by their text; those that go on inside of a word begin with `##`. */
  constructor(vocabulary: Readonly<Record<string, number>>) {
    this.#ids = new Map(Object.entries(vocabulary));
    let longest = 0;
    for (const piece of this.#ids.keys()) longest = Math.max(longest, piece.length);
    this.#longest = longest;
  }

  /** Without the tokens at the beginning and the end. What a text says in square brackets is text like any other. */
  encode(text: string): readonly number[] {
    const ids: number[] = [];
    for (const [word] of normalizeText(text).matchAll(wordPattern)) this.#add(word, ids);
    return ids;
  }

  /** The work for a word grows with its length and not with its square: no piece is longer than the longest. */
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
/** A longer word is unknown as a whole, as where the model was trained. */
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
/** A mark stands for itself; in ASCII that is all that is neither letter, digit nor space. */
const wordPattern = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
