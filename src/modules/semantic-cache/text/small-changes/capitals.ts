import type { ParsedPrompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

/** Function words that are names when capitalized: the US, the WHO. */
const capitalizedSmallWords = new Set(['us', 'it', 'who']);

/** Whether a word is a proper name in one prompt and a common noun in the other: "China" and "china". */
export function differInProperName(old: ParsedPrompt, now: ParsedPrompt): boolean {
  if (old.quoted.length !== now.quoted.length) return false;
  return old.words.some((one, at) => {
    const other = now.words[at];
    return (
      other !== undefined && (isProperNameOnlyHere(one, other, now) || isProperNameOnlyHere(other, one, old))
    );
  });
}

/**
 * Whether a word that both prompts have differs in the case of its letters, and both choose it: "Mb" and "MB", "pH" and "Ph",
 * "getUser" and "getuser". Names are capitalized carelessly, so abbreviations with vowels count only if all words are the same: "Path" and
 * "PATH", but not "Tor" and "TOR".
 */
export function differInCase(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const isChosen = !isOneCase(old.text) && !isOneCase(now.text);
  const abbreviation = old.plain === now.plain ? anyAbbreviation : abbreviationWithoutVowels;
  return old.words.some((word) => {
    const there = now.words.filter(({ text }) => text === word.text);
    const one = withoutPossessive(word.raw);
    return there.length > 0 && there.every(({ raw }) => areDifferent(one, withoutPossessive(raw)));
  });

  function areDifferent(one: string, other: string): boolean {
    if (one === other) return false;
    // A sentence may begin with it.
    if (one.includes('_')) return one.slice(1) !== other.slice(1);
    if (!isChosen) return false;
    if (isIdentifier(one) !== isIdentifier(other)) return true;
    return [one, other].every((raw) => abbreviation.test(raw) && /\p{Lu}/u.test(raw));
  }
}

/** Abbreviations and units of up to four letters mean what their capitals say. */
const anyAbbreviation = /^\p{L}{2,4}$/u;
const abbreviationWithoutVowels = /^(?!.*[aeiouy])\p{L}{2,4}$/iu;

function withoutPossessive(raw: string): string {
  return raw.replace(/'s$|'$/i, '');
}

/** A prompt in lower or upper case throughout chooses none. */
function isOneCase(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? [];
  return (
    words.every((word) => word === 'I' || word === word.toLowerCase()) ||
    words.every((word) => word === word.toUpperCase())
  );
}

/** Lower case, then a capital, as in "getUser"; a single letter before it is a brand: "iPhone". */
function isIdentifier(raw: string): boolean {
  return /^\p{Ll}{2,}\p{Lu}/u.test(raw);
}

/**
 * A prompt that doesn't begin with a capital gives no information: it may be all in lower case. Neither do capitals inside a word:
 * "PYTHON" and "python", "VPN" and "vpn", "MySQL" and "mysql".
 */
function isProperNameOnlyHere(one: Word, other: Word, { text }: ParsedPrompt): boolean {
  if (one.text !== other.text || !one.isName || other.raw !== other.text || !/^\p{Lu}/u.test(text))
    return false;
  if (one.isContent) return !/.\p{Lu}/u.test(one.raw);
  return capitalizedSmallWords.has(one.text) && one.raw === one.raw.toUpperCase();
}
