/** The number of weights: hashes of more features collide more often, and twice as many are hardly better. */
export const weightCount = 2 ** 15;
/** Characters that are read; the beginning of a text tells its language. */
const charactersMax = 2000;
/** With fewer words in lower case, capitalized ones count, too. */
const plainWordsMin = 3;
/** The longest part of a word that is a feature. */
const partLengthMax = 5;

/** The words of a text in Latin script that tell its language: no quotes, code, file names or addresses, and no names if enough is left. */
export function tellingWords(text: string): readonly string[] {
  const prose = text.slice(0, charactersMax).normalize('NFC').replaceAll(quoteOrCode, ' ');
  const words = (prose.match(wordOrName) ?? []).filter((word) => !identifier.test(word));
  const plain = words.filter((word, at) => at === 0 || !/^\p{Lu}/u.test(word));
  return (plain.length >= plainWordsMin ? plain : words)
    .map((word) =>
      word
        .toLowerCase()
        .replaceAll('’', "'")
        .replaceAll(/[^\p{L}\p{M}']/gu, ''),
    )
    .filter((word) => word !== '');
}

const quoteOrCode = /```[\s\S]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|“[^“”\n]*”/g;
const wordOrName = /[\p{Script=Latin}\p{M}'’\d_.@/:-]+/gu;
/** Digits, separators, a dot inside, or `camelCase`. */
const identifier = /[\d_@/:]|\.\p{L}|\p{Ll}\p{Lu}/u;

/** Calls `visit` with the index of each feature of a word: its parts of two to five characters, and the whole word. */
export function visitFeatures(word: string, visit: (index: number) => void): void {
  const marked = `<${word}>`;
  for (let start = 0; start < marked.length; start++) {
    let hash = partSeed;
    const end = Math.min(marked.length, start + partLengthMax);
    for (let at = start; at < end; at++) {
      hash = extendHash(hash, marked.charCodeAt(at));
      if (at > start) visit(indexOf(hash));
    }
  }
  let hash = wordSeed;
  for (let at = 0; at < marked.length; at++) hash = extendHash(hash, marked.charCodeAt(at));
  visit(indexOf(hash));
}

const partSeed = 0x811c9dc5;
const wordSeed = 77;

/** FNV-1a. */
function extendHash(hash: number, character: number): number {
  return Math.imul(hash ^ character, 0x01000193);
}

function indexOf(hash: number): number {
  return ((hash >>> 15) ^ hash) & (weightCount - 1);
}
