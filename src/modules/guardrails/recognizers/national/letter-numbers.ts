import { isDate, remainderOf, weightedSum } from '../check-digits.ts';
import { passesChinese } from './digit-numbers.ts';

/** A number of a country that has letters, too. */
export interface LetterNumber {
  /** From its first character on, in capitals; sticky. */
  readonly expression: RegExp;
  /** Check characters, without spaces and punctuation. */
  readonly isValid: (number: string) => boolean;
  /** A word before it that it needs. */
  readonly words?: RegExp;
}

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';

function passesSpanish(number: string): boolean {
  const digits = number.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2');
  return spanishLetters[remainderOf(digits, 23)] === number.at(-1);
}

const italianOdd = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function passesItalian(code: string): boolean {
  let sum = 0;
  for (let place = 0; place < 15; place++) {
    const unit = code.charCodeAt(place);
    const value = unit <= 57 ? unit - 48 : unit - 65;
    sum += place % 2 === 0 ? (italianOdd[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

const curpCharacters = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';

function passesCurp(code: string): boolean {
  let sum = 0;
  for (let place = 0; place < 17; place++) sum += curpCharacters.indexOf(code.charAt(place)) * (18 - place);
  return (10 - (sum % 10)) % 10 === Number(code[17]);
}

/** Finland: the check character of the nine digits. */
function passesFinnish(number: string): boolean {
  const [day, month, year] = [number.slice(0, 2), number.slice(2, 4), number.slice(4, 6)].map(Number);
  const digits = number.slice(0, 6) + number.slice(-4, -1);
  return (
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(digits) % 31] === number.at(-1) &&
    isDate(2000 + (year ?? 0), month ?? 0, day ?? 0)
  );
}

/** Singapore: citizens (S, T) and foreigners (F, G, M). */
function passesSingaporean(number: string): boolean {
  const first = number.charAt(0);
  const offset = first === 'S' || first === 'F' ? 0 : first === 'M' ? 3 : 4;
  const rest = (weightedSum(number.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11;
  const letters =
    first === 'S' || first === 'T' ? 'JZIHGFEDCBA' : first === 'M' ? 'KLJNPQRTUWX' : 'XWUTRQPNMLK';
  return letters[first === 'M' ? 10 - rest : rest] === number.at(-1);
}

/** Taiwan: the letter stands for two digits. */
function passesTaiwanese(number: string): boolean {
  const letter = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(number.charAt(0)) + 10;
  return (
    (Math.floor(letter / 10) +
      (letter % 10) * 9 +
      weightedSum(number.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1])) %
      10 ===
    0
  );
}

/** Hong Kong: one or two letters, six digits, and a check digit that may be an A. */
function passesHongKong(number: string): boolean {
  const body = number.slice(0, -1).padStart(8, ' ');
  let sum = number.at(-1) === 'A' ? 10 : Number(number.at(-1));
  for (let place = 0; place < 8; place++) {
    const unit = body.charCodeAt(place);
    sum += (unit === 32 ? 36 : unit <= 57 ? unit - 48 : unit - 55) * (9 - place);
  }
  return sum % 11 === 0;
}

/** Ireland: a second letter counts, too. */
function passesIrish(number: string): boolean {
  const second = number.length === 9 && number[8] !== 'W' ? number.charCodeAt(8) - 64 : 0;
  return (
    'WABCDEFGHIJKLMNOPQRSTUV'[(weightedSum(number, [8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23] === number[7]
  );
}

/** Germany: the number of the pension insurance. The letter stands for two digits, and digits of products are added. */
function passesGermanPension(number: string): boolean {
  const letter = String(number.charCodeAt(8) - 64).padStart(2, '0');
  const digits = number.slice(0, 8) + letter + number.slice(9, 11);
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  let sum = 0;
  for (let place = 0; place < 12; place++) {
    const product = Number(digits[place]) * (weights[place] ?? 0);
    sum += Math.floor(product / 10) + (product % 10);
  }
  return sum % 10 === Number(number[11]);
}

/** Chile: the check digit may be a K. */
function passesChilean(number: string): boolean {
  const digits = number.slice(0, -1).padStart(8, '0');
  return '0K987654321'[weightedSum(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11] === number.at(-1);
}

const always = () => true;

/** Those that begin with a letter. */
export const lettersFirst: readonly LetterNumber[] = [
  {
    expression: /[A-Z]{6}[\dL-V]{2}[A-EHLMPRST][\dL-V]{2}[A-Z][\dL-V]{3}[A-Z](?!\w)/y,
    isValid: passesItalian,
  },
  { expression: /[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z\d]\d(?!\w)/y, isValid: passesCurp },
  { expression: /[XYZ]-?\d{7}-?[A-Z](?!\w)/y, isValid: passesSpanish },
  { expression: /[STFGM]\d{7}[A-Z](?!\w)/y, isValid: passesSingaporean },
  { expression: /[A-Z][1289]\d{8}(?!\w)/y, isValid: passesTaiwanese },
  { expression: /[A-Z]{1,2}\d{6}\([\dA]\)/y, isValid: passesHongKong },
  // India: the fourth letter of a tax number is the kind of holder.
  { expression: /[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?!\w)/y, isValid: always },
  // United Kingdom: national insurance
  {
    expression:
      /(?!BG|GB|NK|KN|TN|NT|ZZ)(?:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]|QQ) ?\d\d ?\d\d ?\d\d ?[A-D](?!\w)/y,
    isValid: always,
  },
  // Mexico: tax numbers
  { expression: /[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}(?!\w)/y, isValid: always, words: /\brfc\b/i },
];

/** Those that begin with a digit. */
export const digitsFirst: readonly LetterNumber[] = [
  { expression: /\d{8}-?[A-Z](?!\w)/y, isValid: passesSpanish },
  { expression: /\d{6}[-+A-FU-Y]\d{3}[\dA-Y](?!\w)/y, isValid: passesFinnish },
  { expression: /\d{17}X(?!\w)/y, isValid: passesChinese },
  { expression: /\d{7}[A-W][A-IW]?(?!\w)/y, isValid: passesIrish, words: /\bpps/i },
  { expression: /\d{8}[A-Z]\d{3}(?!\w)/y, isValid: passesGermanPension },
  { expression: /\d{1,2}\.\d{3}\.\d{3}-[\dK](?!\w)/y, isValid: passesChilean },
  // United States: Medicare
  {
    expression:
      /[1-9][AC-HJKMNP-RT-Y][\dAC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][\dAC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}(?!\w)/y,
    isValid: always,
    words: /medicare|\bmbi\b/i,
  },
];
