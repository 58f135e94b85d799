import { ibanCharactersMax, isPartialIban } from './bank-numbers.ts';
import { alphanumeric, classOf, digit, isDigit, letter } from './characters.ts';
import { emailCharactersMax } from './emails.ts';
import { foldText } from './fold-text.ts';
import { startOfDegrees } from './labelled-values.ts';
import { numberRunCharactersMax } from './number-run.ts';
import { phoneTailCharacters } from './phones.ts';
import { isPartialPrivateKey } from './secrets/private-keys.ts';
import { tokenCharactersMax } from './secrets/tokens.ts';

/** The words before a value that recognizers read. */
const contextCharactersMax = 128;

/** The length of the longest text that a pattern can match, with the words before it that it needs. Streams hold back no more. */
export const patternCharactersMax = tokenCharactersMax + contextCharactersMax;

/** The offset from which the end of the text may be the beginning of a finding; the length of the text if it can't be. */
export function partialPatternAt(text: string, kinds: ReadonlySet<string>): number {
  const first = Math.max(0, text.length - patternCharactersMax);
  const end = text.slice(first);
  const folded = foldText(end);
  const plain = folded?.text ?? end;
  const start = Math.min(
    startOfValue(plain),
    startOfNumber(plain),
    kinds.has('IBAN') ? startOfIban(plain) : plain.length,
    kinds.has('DATE_OF_BIRTH') ? startOfBirthDate(plain) : plain.length,
    kinds.has('COORDINATES') ? startOfPosition(plain) : plain.length,
    kinds.has('PRIVATE_KEY') ? startOfPrivateKey(plain) : plain.length,
  );
  if (start === plain.length) return text.length;
  return first + (folded === undefined ? start : folded.rangeOf(start, start + 1).start);
}

/**
 * Values without spaces. Scripts that have no spaces between words, such as Chinese, end them as well: a stream in these would stand still
 * otherwise. Domains of e-mail addresses may be in such a script.
 */
function startOfValue(text: string): number {
  const at = text.lastIndexOf('@');
  const isInDomain = at !== -1 && text.length - at < emailCharactersMax && !/[\s"]/.test(text.slice(at));
  return skipBack(text, isInDomain ? at : text.length, { most: text.length, isSkipped: isValueCharacter });
}

function isValueCharacter(code: number): boolean {
  return code > 32 && code < 0x0590 && code !== 34;
}

/** Groups of digits, and the label or extension that may follow a phone number. */
function startOfNumber(text: string): number {
  const extension = skipBack(text, text.length, { most: 6, isSkipped: isDigit });
  return Math.min(
    startOfGroups(text, text.length),
    startOfLabelled(text, text.length),
    startOfLabelled(text, extension),
  );
}

function startOfLabelled(text: string, end: number): number {
  const label = skipBack(text, end, { most: phoneTailCharacters, isSkipped: isLabelCharacter });
  const start = startOfGroups(text, label);
  return digitsIn(text, start, label) >= 7 ? start : text.length;
}

/** The first character of a number that ends here, without the gap before it; `end` if there is none. */
function startOfGroups(text: string, end: number): number {
  let start = skipBack(text, end, { most: numberRunCharactersMax, isSkipped: isNumberCharacter });
  while (start < end && !isDigit(text.charCodeAt(start)) && !'+('.includes(text.charAt(start))) start++;
  if (digitsIn(text, start, end) === 0) return text.length;
  // The letters that some numbers begin with: `AB 12 34 56 C`
  return skipBack(text, start, {
    most: 4,
    isSkipped: (code) => (classOf(code) & letter) !== 0 || code === 32,
  });
}

function skipBack(
  text: string,
  from: number,
  { most, isSkipped }: { readonly most: number; readonly isSkipped: (code: number) => boolean },
): number {
  let at = from;
  while (at > 0 && from - at < most && isSkipped(text.charCodeAt(at - 1))) at--;
  return at;
}

function isLabelCharacter(code: number): boolean {
  return (classOf(code) & letter) !== 0 || (code < 128 && ' .#(,-'.includes(String.fromCharCode(code)));
}

function isNumberCharacter(code: number): boolean {
  return isDigit(code) || (code < 128 && ' -./()+,'.includes(String.fromCharCode(code)));
}

function digitsIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if ((classOf(text.charCodeAt(at)) & digit) !== 0) count++;
  return count;
}

function startOfIban(text: string): number {
  for (let at = Math.max(0, text.length - ibanCharactersMax); at < text.length; at++)
    if ((classOf(text.charCodeAt(at - 1)) & alphanumeric) === 0 && isPartialIban(text, at)) return at;
  return text.length;
}

/** The dashes before a header are a value without spaces. */
function startOfPrivateKey(text: string): number {
  const begin = text.lastIndexOf('-----BEGIN');
  return begin !== -1 && isPartialPrivateKey(text, begin) ? begin : text.length;
}

const birthLabels =
  /(?:born|birth(?:day|[ -]?date)?|d\.?o\.?b|naissance|nascita|nascimento|nacimiento|urodzenia|geboren|geburtsdatum|geboortedatum|née?|nacid[oa]|nascid[oa]|nat[oa] il|född|født|urodzon[ya])[^\p{L}]/giu;
const dateCharactersMax = 60;

/** What follows a word for birth: a date has spaces and words in it. */
function startOfBirthDate(text: string): number {
  const first = Math.max(0, text.length - dateCharactersMax);
  const label = [...text.slice(first).matchAll(birthLabels)].at(-1);
  return label === undefined ? text.length : first + label.index + label[0].length;
}

function startOfPosition(text: string): number {
  const sign = text.indexOf('°', Math.max(0, text.length - dateCharactersMax));
  return sign === -1 ? text.length : startOfDegrees(text, sign);
}
