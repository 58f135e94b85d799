import {
  isDate,
  passesLuhn,
  passesMod11And10,
  passesVerhoeff,
  remainderOf,
  weightedSum,
} from '../check-digits.ts';

/** A number of a country that consists of digits. */
export interface DigitNumber {
  readonly digits: readonly number[];
  /** Check digits, dates and ranges. */
  readonly isValid: (digits: string) => boolean;
  /** The format that is enough to know the number by; all others need a word before them. */
  readonly format?: RegExp;
  readonly words: RegExp;
  readonly kind?: 'SSN';
}

const any = /^/;
const never = /(?!)/;
const at = (digits: string, place: number) => digits.charCodeAt(place) - 48;
const last = (digits: string) => at(digits, digits.length - 1);
/** Six digits as a date of any century. */
const isDayMonthYear = (digits: string) =>
  isDate(2000 + Number(digits.slice(4, 6)), Number(digits.slice(2, 4)), Number(digits.slice(0, 2)));
const isYearMonthDay = (digits: string) =>
  isDate(2000 + Number(digits.slice(0, 2)), Number(digits.slice(2, 4)), Number(digits.slice(4, 6)));
/** Whether the last digit is the weighted sum of the others modulo 11, which some countries take modulo 10 again. */
const isSumMod11 = (weights: readonly number[]) => (digits: string) =>
  (weightedSum(digits, weights) % 11) % 10 === last(digits);
/** Whether it is what is missing to a multiple of 11. */
const isRestOf11 = (digits: string, weights: readonly number[]) =>
  (11 - (weightedSum(digits, weights) % 11)) % 11;

const descending = [9, 8, 7, 6, 5, 4, 3, 2];
const cpfWeights = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const alternating = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];

function passesBrazilian(digits: string, weights: readonly number[]): boolean {
  const check = (own: readonly number[]) => (isRestOf11(digits, own) === 10 ? 0 : isRestOf11(digits, own));
  return (
    check(weights.slice(1)) === at(digits, weights.length - 1) &&
    check(weights) === at(digits, weights.length)
  );
}

function passesBaltic(digits: string): boolean {
  const first = weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const check = first < 10 ? first : (weightedSum(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11) % 10;
  return check === last(digits) && /^[1-6]/.test(digits) && isYearMonthDay(digits.slice(1));
}

function passesTurkish(digits: string): boolean {
  const odd = at(digits, 0) + at(digits, 2) + at(digits, 4) + at(digits, 6) + at(digits, 8);
  const even = at(digits, 1) + at(digits, 3) + at(digits, 5) + at(digits, 7);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return digits[0] !== '0' && tenth === at(digits, 9) && (odd + even + tenth) % 10 === at(digits, 10);
}

function passesNorwegian(digits: string): boolean {
  const day = at(digits, 0) % 4;
  return (
    isRestOf11(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2]) === at(digits, 9) &&
    isRestOf11(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) === at(digits, 10) &&
    // Temporary numbers have 4 added to the first digit.
    isDayMonthYear(day + digits.slice(1))
  );
}

/** The German tax number has one digit two or three times among its first ten, and no other more than once. */
function passesGermanTax(digits: string): boolean {
  const counts = new Map<string, number>();
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return digits[0] !== '0' && repeated.length === 1 && (repeated[0] ?? 0) < 4 && passesMod11And10(digits);
}

function passesBelgian(digits: string): boolean {
  const check = Number(digits.slice(9));
  const rest = (number: string) => 97 - remainderOf(number, 97);
  return (
    Number(digits.slice(2, 4)) <= 12 + 40 &&
    (rest(digits.slice(0, 9)) === check || rest(`2${digits.slice(0, 9)}`) === check)
  );
}

function passesSwedish(digits: string): boolean {
  const own = digits.slice(-10);
  // Coordination numbers have 60 added to the day.
  const day = Number(own.slice(4, 6));
  return (
    passesLuhn(own) &&
    isDate(2000 + Number(own.slice(0, 2)), Number(own.slice(2, 4)), day > 60 ? day - 60 : day)
  );
}

function passesAustralianBusiness(digits: string): boolean {
  return (weightedSum(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;
}

function passesPesel(digits: string): boolean {
  // The century is added to the month, in steps of 20.
  const date =
    digits.slice(0, 2) + String(Number(digits.slice(2, 4)) % 20).padStart(2, '0') + digits.slice(4, 6);
  return isYearMonthDay(date) && (10 - (weightedSum(digits, alternating) % 10)) % 10 === last(digits);
}

function passesCzech(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 50;
  const date =
    digits.slice(0, 2) + String(month > 20 ? month - 20 : month).padStart(2, '0') + digits.slice(4, 6);
  return remainderOf(digits, 11) === 0 && isYearMonthDay(date);
}

/** United States, Social Security Administration: areas 000, 666 and from 900, group 00 and serial 0000 don't exist. */
function isSocialSecurityNumber(digits: string): boolean {
  return !/^(?:000|666|9)|^...00|0000$/.test(digits);
}

function passesKorean(digits: string): boolean {
  return /^.{6}[1-8]/.test(digits) && isYearMonthDay(digits);
}

function passesFrench(digits: string): boolean {
  return (
    /^[12]\d\d(?:0[1-9]|1[0-2]|[23]\d|4[0-2]|5\d|[6-9]\d)/.test(digits) &&
    97 - remainderOf(digits.slice(0, 13), 97) === Number(digits.slice(13))
  );
}

function passesAhv(digits: string): boolean {
  return (
    digits.startsWith('756') &&
    (10 - (weightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === last(digits)
  );
}

export const digitNumbers: readonly DigitNumber[] = [
  {
    digits: [9],
    isValid: isSocialSecurityNumber,
    format: /^\d{3}-\d\d-\d{4}$/,
    words: /\bssn\b|social[- ]security|\bsoc(?:ial)? sec\b/i,
    kind: 'SSN',
  },
  // United States: taxpayers without a social security number, and health care providers.
  {
    digits: [9],
    isValid: (digits) => /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(digits),
    format: /^\d{3}-\d\d-\d{4}$/,
    words: /\bi?tin\b|taxpayer/i,
  },
  {
    digits: [10],
    isValid: (digits) => /^[12]/.test(digits) && passesLuhn(`80840${digits}`),
    words: /\bnpi\b/i,
  },
  // Canada
  {
    digits: [9],
    isValid: (digits) => digits[0] !== '8' && passesLuhn(digits),
    words: /\b(?:sin|nas)\b|social insurance|assurance sociale/i,
  },
  // Brazil
  {
    digits: [11],
    isValid: (digits) => passesBrazilian(digits, cpfWeights) && !/^(\d)\1+$/.test(digits),
    format: /^\d{3}\.\d{3}\.\d{3}-\d\d$/,
    words: /\bcpf\b/i,
  },
  {
    digits: [14],
    isValid: (digits) => passesBrazilian(digits, cnpjWeights) && !/^(\d)\1+$/.test(digits),
    format: /^\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d$/,
    words: /\bcnpj\b/i,
  },
  // Argentina
  {
    digits: [11],
    isValid: (digits) => isRestOf11(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 10 === last(digits),
    format: /^(?:20|2[34]|27|3[034])-\d{8}-\d$/,
    words: /\bcui[tl]\b/i,
  },
  // Germany, Austria, Switzerland
  { digits: [11], isValid: passesGermanTax, words: /steuer|\btax\b|\btin\b|identifikationsnummer|idnr/i },
  {
    digits: [10],
    isValid: (digits) =>
      digits[0] !== '0' && weightedSum(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === at(digits, 3),
    words: /sozialversicherung|svnr|sv-n|versicherungsnummer|social (?:security|insurance)/i,
  },
  {
    digits: [13],
    isValid: passesAhv,
    format: /^756\.\d{4}\.\d{4}\.\d\d$/,
    words: /\bahv|\bavs\b|social (?:security|insurance)/i,
  },
  // France, Belgium, Netherlands
  { digits: [15], isValid: passesFrench, format: any, words: never },
  {
    digits: [11],
    isValid: passesBelgian,
    format: /^\d\d\.\d\d\.\d\d-\d{3}\.\d\d$/,
    words: /rijksregister|registre national|nationalregister|national (?:register|number)|insz|niss/i,
  },
  {
    digits: [9],
    isValid: (digits) => weightedSum(digits, [...descending, -1]) % 11 === 0 && !/^0{4}/.test(digits),
    words: /\bbsn\b|burgerservice|sofi/i,
  },
  // Portugal
  {
    digits: [9],
    isValid: (digits) =>
      isRestOf11(digits, descending) % 10 === last(digits) && /^[1-3568]|^45|^7|^9/.test(digits),
    words: /\bnif\b|contribuinte|\bnipc\b|\btax\b/i,
  },
  // Nordic countries
  {
    digits: [10, 12],
    isValid: passesSwedish,
    format: /^(?:\d{6}|(?:19|20)\d{6})-\d{4}$/,
    words: /personnummer|samordningsnummer|personal (?:identity )?n|\bssn\b/i,
  },
  { digits: [11], isValid: passesNorwegian, format: any, words: never },
  { digits: [10], isValid: isDayMonthYear, words: /\bcpr\b|personnummer/i },
  {
    digits: [10],
    isValid: (digits) =>
      isRestOf11(digits, [3, 2, 7, 6, 5, 4, 3, 2]) === at(digits, 8) && /[089]$/.test(digits),
    words: /kennit[aö]l/i,
  },
  // Baltic countries
  { digits: [11], isValid: passesBaltic, words: /isikukood|asmens kod|personal (?:identification )?code/i },
  { digits: [11], isValid: isDayMonthYear, words: /personas kods/i },
  // Central and Eastern Europe
  { digits: [11], isValid: passesPesel, words: /\bpesel\b/i },
  {
    digits: [10],
    isValid: (digits) => weightedSum(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === last(digits),
    words: /\bnip\b/i,
  },
  { digits: [10], isValid: passesCzech, format: /^\d{6}\/\d{4}$/, words: /rodn[éeý]/i },
  {
    digits: [13],
    isValid: (digits) => isSumOfCnp(digits) && isYearMonthDay(digits.slice(1)),
    words: /\bcnp\b|cod numeric/i,
  },
  { digits: [10], isValid: isSumMod11([2, 4, 8, 5, 10, 9, 7, 3, 6]), words: /\begn\b|егн/i },
  { digits: [11], isValid: passesMod11And10, words: /\boib\b/i },
  {
    digits: [13],
    isValid: (digits) => isRestOf11(digits, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 10 === last(digits),
    words: /jmbg|em[šs]o|јмбг/i,
  },
  {
    digits: [9],
    isValid: (digits) => weightedSum(digits, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === last(digits),
    words: /\btaj\b/i,
  },
  {
    digits: [9],
    isValid: (digits) => (weightedSum(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === last(digits),
    words: /\bafm\b|αφμ|α\.φ\.μ/i,
  },
  {
    digits: [11],
    isValid: (digits) => passesLuhn(digits) && isDayMonthYear(digits),
    words: /\bamka\b|αμκα/i,
  },
  { digits: [11], isValid: passesSnils, format: /^\d{3}-\d{3}-\d{3} \d\d$/, words: /снилс|snils/i },
  { digits: [10], isValid: isSumMod11([2, 4, 10, 3, 5, 9, 4, 6, 8]), words: /инн|\binn\b/i },
  {
    digits: [12],
    isValid: (digits) => isSumMod11([3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8])(digits),
    words: /инн|\binn\b/i,
  },
  { digits: [10], isValid: isSumMod11([-1, 5, 7, 9, 4, 6, 10, 5, 7]), words: /іпн|рнокпп|rnokpp/i },
  { digits: [11], isValid: passesTurkish, words: /\bt\.?c\.?\b|kimlik|tckn/i },
  // United Kingdom
  {
    digits: [10],
    isValid: (digits) => isRestOf11(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) === last(digits),
    words: /\bnhs\b|health service/i,
  },
  // Middle East and Africa
  { digits: [9], isValid: passesLuhn, words: /teudat|israeli|זהות/i },
  {
    digits: [13],
    isValid: (digits) => isYearMonthDay(digits) && /^.{10}[0-2]/.test(digits) && passesLuhn(digits),
    words: /\bid\b|identity|south africa/i,
  },
  // Asia and the Pacific
  {
    digits: [12],
    isValid: (digits) => /^[2-9]/.test(digits) && passesVerhoeff(digits),
    format: /^\d{4}([ -])\d{4}\1\d{4}$/,
    words: /aadha?ar|uidai|आधार/i,
  },
  { digits: [18], isValid: passesChinese, format: any, words: never },
  {
    digits: [13],
    isValid: passesKorean,
    format: /^\d{6}-\d{7}$/,
    words: /주민|\brrn\b|resident registration/i,
  },
  {
    digits: [12],
    isValid: (digits) => last(digits) === myNumberCheck(digits),
    words: /マイナンバー|個人番号|my number/i,
  },
  {
    digits: [13],
    isValid: (digits) => isRestOf11(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 10 === last(digits),
    format: /^\d-\d{4}-\d{5}-\d\d-\d$/,
    words: /thai|citizen|บัตรประชาชน|ประจำตัวประชาชน/i,
  },
  {
    digits: [12],
    isValid: isYearMonthDay,
    format: /^\d{6}-\d\d-\d{4}$/,
    words: /mykad|\bnric\b|kad pengenalan|\bic\b/i,
  },
  { digits: [13], isValid: () => true, format: /^\d{5}-\d{7}-\d$/, words: /\bcnic\b/i },
  {
    digits: [9],
    isValid: (digits) => weightedSum(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    words: /\btfn\b|tax file/i,
  },
  { digits: [11], isValid: passesAustralianBusiness, words: /\babn\b|business number/i },
  {
    digits: [9],
    isValid: (digits) => (10 - (weightedSum(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === last(digits),
    words: /\bacn\b|company number/i,
  },
  {
    digits: [10, 11],
    isValid: (digits) =>
      /^[2-6]/.test(digits) && weightedSum(digits, alternating.slice(0, 8)) % 10 === at(digits, 8),
    words: /medicare/i,
  },
];

function isSumOfCnp(digits: string): boolean {
  const check = weightedSum(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
  return (check === 10 ? 1 : check) === last(digits) && digits[0] !== '0';
}

function passesSnils(digits: string): boolean {
  return (weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(digits.slice(9));
}

function myNumberCheck(digits: string): number {
  const rest = weightedSum(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return rest <= 1 ? 0 : 11 - rest;
}

/** China: the last character may be an X, which counts as 10. */
export function passesChinese(number: string): boolean {
  const check = '10X98765432'[
    weightedSum(number, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11
  ];
  const year = Number(number.slice(6, 10));
  return (
    check === number.slice(17).toUpperCase() &&
    year >= 1900 &&
    year < 2100 &&
    isDate(year, Number(number.slice(10, 12)), Number(number.slice(12, 14)))
  );
}
