/** Kinds of characters: ASCII letters are 0 to 25. */
export const kindOf = { gap: 26, symbol: 27, other: 28 } as const;
export const kindsCount = 29;

export const letterA = 'a'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
/** Letters of escapes in JSON and code. */
const escapes = new Set([...'bfnrt'].map((letter) => letter.charCodeAt(0)));

/** Blanks and marks end a word; anything else but ASCII letters may be part of one. */
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  if (/[a-z]/.test(character)) return character.charCodeAt(0) - letterA;
  if (/[\s.,;:?"'`()[\]{}<>=&#%^~\\]/.test(character)) return kindOf.gap;
  return /[0-9]/.test(character) ? kindOf.other : kindOf.symbol;
});

export function kindsOf(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length + 3).fill(kindOf.gap, text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    kinds[at] = asciiKinds[code] ?? kindOf.other;
    // The letter of an escape such as \t is no part of a word.
    if (code === backslash && escapes.has(text.charCodeAt(at + 1))) kinds[++at] = kindOf.gap;
  }
  return kinds;
}
