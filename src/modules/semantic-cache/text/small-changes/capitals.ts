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

/** Whether letters of the same word differ in case where both prompts choose it: "Mb" and "MB", "pH" and "Ph", "getUser" and "getuser". */
export function differInCase(old: ParsedPrompt, now: ParsedPrompt): boolean {
  if (isOneCase(old.text) || isOneCase(now.text)) return false;
  return old.words.some((one, at) => {
    const other = now.words[at];
    return other !== undefined && one.text === other.text && areCasesDifferent(one.raw, other.raw);
  });
}

/** A prompt in one case, or with every word capitalized, chooses none. */
function isOneCase(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? [];
  return (
    words.every((word) => word === 'I' || word === word.toLowerCase()) ||
    words.every((word) => word === word.toUpperCase())
  );
}

/** Abbreviations and units of up to four letters mean what their capitals say; longer words may be capitalized carelessly. */
const abbreviationMax = 4;

function areCasesDifferent(one: string, other: string): boolean {
  if (one === other) return false;
  if (isIdentifier(one) !== isIdentifier(other)) return true;
  if (![one, other].every((raw) => /\p{Lu}/u.test(raw))) return false;
  return one.length <= abbreviationMax;
}

/** Lower case, then a capital, as in "getUser"; a single letter before it is a brand: "iPhone". */
function isIdentifier(raw: string): boolean {
  return /^\p{Ll}{2,}\p{Lu}\p{Ll}/u.test(raw);
}

/** A prompt that doesn't begin with a capital gives no information: it may be all in lower case. */
function isProperNameOnlyHere(one: Word, other: Word, { text }: ParsedPrompt): boolean {
  if (one.text !== other.text || !one.isName || other.raw !== other.text || !/^\p{Lu}/u.test(text))
    return false;
  return one.isContent || (capitalizedSmallWords.has(one.text) && one.raw === one.raw.toUpperCase());
}
