/** What a character is read as. */
export interface Letter {
  /** The code of the lower-case letter, digit or symbol; 0 if the character is left out. */
  readonly code: number;
  /** Letters that the character is used in place of, as `3` is for `e`. */
  readonly standsFor: readonly number[];
  /** Whether it is part of a word. */
  readonly isWord: boolean;
}

export const space = 32;

/** Characters in place of letters. */
const substitutes: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'il', '3': 'e', '4': 'a', '5': 's', '6': 'g', '7': 't', '8': 'b', '9': 'g' },
  ...{ '@': 'a', $: 's', '!': 'i', '|': 'il', '+': 't', '€': 'e', '£': 'l', '¢': 'c', '¡': 'i' },
};

/** Letters of other scripts that look like Latin ones, in two texts of the same order. */
const lookalikes = 'авесіјкмнорѕтухԁһԛԝѵցոսαβεικνορτυχωγɑıɡʟʏᴀʙᴄᴅᴇꜰɢʜᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢ';
const latin = 'abecijkmhopstyxdhqwvgnuabeikvoptuxwyaiglyabcdefghjkmnoprstuvwz';
const latinOf = new Map([...lookalikes].map((letter, index) => [letter, latin[index] ?? letter]));

/** Runs of these count as one space. */
const spaces = /^[\s_\u2010-\u2015-]$/u;

/** Reads characters as people do, whatever their case, accents, width and script. */
export class Letters {
  readonly #ascii: readonly Letter[] = Array.from({ length: 128 }, (_, code) => readLetter(code));
  /** Others that texts have had; the text chooses them, so they are limited. */
  readonly #others = new Map<number, Letter>();

  of(code: number): Letter {
    const known = this.#ascii[code] ?? this.#others.get(code);
    if (known !== undefined) return known;
    if (this.#others.size >= 10_000) this.#others.clear();
    const letter = readLetter(code);
    this.#others.set(code, letter);
    return letter;
  }
}

function readLetter(code: number): Letter {
  const character = String.fromCodePoint(code);
  if (spaces.test(character)) return { code: space, standsFor: [], isWord: false };
  const [base = ''] = character.normalize('NFKD').toLowerCase();
  if (/^[\p{M}\p{Cf}]?$/u.test(base)) return { code: 0, standsFor: [], isWord: false };
  const plain = latinOf.get(base) ?? base;
  return {
    code: plain.codePointAt(0) ?? 0,
    standsFor: [...(substitutes[plain] ?? '')].map((letter) => letter.charCodeAt(0)),
    isWord: /^[\p{L}\p{N}]$/u.test(plain),
  };
}
