import { isAscii } from './is-ascii.ts';
import { familiesOf } from './word-families.ts';

/** The forms of a text that are scanned: attackers write in ways that scanners miss and models read. */
export interface ReadableForms {
  /** Without invisible characters and pictures, and with Latin letters in place of their look-alikes. */
  readonly visible: string;
  /** Texts that are hidden or encoded in it. */
  readonly decoded: readonly string[];
  /** The text with disguised words written out; mostly nonsense if none are disguised. */
  readonly disguised: readonly string[];
}

export function readableForms(text: string): ReadableForms {
  const visible = isAscii(text)
    ? text
    : replaceLookAlikes(text.replace(invisible, '').replace(pictures, ' ').normalize('NFKC'));
  const decoded = [tagCharacters(text), escapedText(visible), ...encodedTexts(visible)];
  const disguised = [spacedLetters(visible), digitLetters(visible), rotated(visible), reversed(visible)];
  return { visible, decoded: decoded.flatMap(notEmpty), disguised: disguised.flatMap(notEmpty) };
}

function notEmpty(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : [text];
}

/** Format characters, such as zero-width spaces, and selectors of variants. */
const invisible = /\p{Cf}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu;
/** The model has no words for them, and takes them for a disguise. */
const pictures = /\p{Extended_Pictographic}/gu;

/** Unicode has invisible copies of all ASCII characters, which some models read. */
function tagCharacters(text: string): string {
  if (isAscii(text)) return '';
  const tags = text.match(/[\u{e0020}-\u{e007e}]/gu) ?? [];
  return tags.map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
}

/** In words that mix Latin letters with others. */
function replaceLookAlikes(text: string): string {
  if (!otherAlphabet.test(text)) return text;
  return text.replace(/\p{L}+/gu, (word) =>
    otherAlphabet.test(word) && /[a-z]/i.test(word)
      ? word.replace(/./gu, (letter) => lookAlikes.get(letter) ?? letter)
      : word,
  );
}

const otherAlphabet = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
const lookAlikes = new Map(
  Array.from(
    'аeбbвbгrеeзeиuіiјjкkмmнhоoпnрpсcтtуyхxѕsԁdһhԛqԝwӏlΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaεeιiκkνvοoρpτtυuχxАAВBЕEКKМMНHОOРPСCТTХXІI'.matchAll(
      /(.)(.)/gu,
    ),
    ([, from = '', to = '']) => [from, to] as const,
  ),
);

/** Escapes of URLs, HTML and JavaScript. */
function escapedText(text: string): string | undefined {
  const escapes = text.match(escapeSequence)?.length ?? 0;
  if (escapes < escapesMin) return undefined;
  return text.replace(escapeSequence, (_, percent, unit, decimal, hexadecimal) =>
    decimal === undefined
      ? String.fromCharCode(Number.parseInt(percent ?? unit ?? hexadecimal, 16))
      : String.fromCharCode(Number(decimal)),
  );
}

const escapeSequence = /%([0-7][\da-f])|\\u00([0-7][\da-f])|&#(\d{2,3});|&#x([0-7][\da-f]);/gi;
/** Addresses have a few. */
const escapesMin = 8;

/** Texts in base64 or hexadecimal. */
function encodedTexts(text: string): readonly string[] {
  const codes = text.match(/[\w+/-]{24,}/g)?.slice(0, codesMax) ?? [];
  return codes.flatMap((code) => {
    const isHex = /^(?:[\da-f]{2})+$/i.test(code.slice(0, 200));
    const decoded = Buffer.from(code, isHex ? 'hex' : 'base64').toString('latin1');
    const letters = decoded.match(/[a-z ]/gi)?.length ?? 0;
    return decoded.includes(' ') && letters > decoded.length * 0.8 ? [decoded] : [];
  });
}

const codesMax = 20;

/** `i g n o r e` or `i.g.n.o.r.e`; words are further apart. */
function spacedLetters(text: string): string | undefined {
  let found = false;
  const joined = text.replace(
    /(?<![\p{L}\d])\p{L}(?:([ ._*|-])\p{L}(?:\1\p{L})+)(?![\p{L}\d])/gu,
    (letters, gap) => {
      found ||= letters.length >= 9;
      return letters.replaceAll(gap, '');
    },
  );
  return found ? joined : undefined;
}

/** `1gn0re`; only if that makes a word which attacks are made of. */
function digitLetters(text: string): string | undefined {
  let found = false;
  const replaced = text.replace(/[a-z\d@$]+/gi, (word) => {
    if (!/[\d@$]/.test(word)) return word;
    const letters = word.replace(/[\d@$]/g, (digit) => digitsAsLetters[digit] ?? digit);
    found ||= familiesOf(letters.toLowerCase()) !== 0;
    return letters;
  });
  return found ? replaced : undefined;
}

const digitsAsLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/** Letters 13 places further. */
function rotated(text: string): string | undefined {
  if (!/vtaber|qvfertneq|vafgehpgvba|flfgrz cebzcg/i.test(text)) return undefined;
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode((code & 31) > 13 ? code - 13 : code + 13);
  });
}

function reversed(text: string): string | undefined {
  return /snoitcurtsni|tpmorp metsys/i.test(text) ? [...text].reverse().join('') : undefined;
}
