import { alphanumeric, classOf, digit, word } from './characters.ts';
import { passesLuhn, remainderOf } from './check-digits.ts';
import { isApartOnLeft, type NumberRun } from './number-run.ts';
import { byChecksum, type PatternFindings } from './pattern-findings.ts';

/** The first digits of card numbers by scheme, as ranges of equal length, and the lengths that the scheme issues. */
const cardRanges: readonly (readonly [from: string, to: string, lengths: readonly number[]])[] = [
  ['4', '4', [13, 16, 19]], // Visa
  ['51', '55', [16]], // Mastercard
  ['2221', '2720', [16]],
  ['34', '34', [15]], // American Express
  ['37', '37', [15]],
  ['300', '305', [14, 16, 17, 18, 19]], // Diners Club
  ['3095', '3095', [14, 16, 17, 18, 19]],
  ['36', '36', [14, 15, 16, 17, 18, 19]],
  ['38', '39', [14, 16, 17, 18, 19]],
  ['3528', '3589', [16, 17, 18, 19]], // JCB
  ['2131', '2131', [15]],
  ['1800', '1800', [15]],
  ['6011', '6011', [16, 17, 18, 19]], // Discover
  ['644', '659', [16, 17, 18, 19]],
  ['62', '62', [16, 17, 18, 19]], // UnionPay
  ['81', '82', [16, 17, 18, 19]], // UnionPay, RuPay
  ['50', '50', [12, 13, 14, 15, 16, 17, 18, 19]], // Maestro
  ['56', '58', [12, 13, 14, 15, 16, 17, 18, 19]],
  ['6304', '6304', [12, 13, 14, 15, 16, 17, 18, 19]],
  ['639', '639', [12, 13, 14, 15, 16, 17, 18, 19]],
  ['67', '67', [12, 13, 14, 15, 16, 17, 18, 19]],
  ['2200', '2205', [16, 17, 18, 19]], // Mir, BORICA
  ['60', '60', [16]], // RuPay, Hipercard
  ['637', '638', [16]], // InstaPayment
  ['9792', '9792', [16]], // Troy
];

/** Needed where the prefix is unknown, and where the length is one of other ids, too: those of messages and posts have 17 to 19 digits. */
const cardWords =
  /\b(?:cards?|credit|debit|visa|mastercard|master|maestro|amex|american express|diners|discover|jcb|unionpay|pay|payment|cc|pan|karte|kreditkarte|carte|tarjeta|cartão|carta|kaart|kort|karta)\b|карт|卡|カード|카드/i;

/** A card number that begins with a group of digits; where it ends. */
export function cardIn(text: string, run: NumberRun, found: PatternFindings): number | undefined {
  if (!isApartOnLeft(text, run.start) && text.charAt(run.start - 1) !== '#') return undefined;
  for (let group = run.counts.length - 1; group >= 0; group--) {
    const count = run.counts[group] ?? 0;
    if (count < 12) return undefined;
    const end = run.ends[group] ?? 0;
    if (count > 19 || (classOf(text.charCodeAt(end)) & word) !== 0 || !hasCardGroups(run, group)) continue;
    const digits = run.digits.slice(0, count);
    if (!passesLuhn(digits) || /^(\d)\1+$/.test(digits)) continue;
    const isUsual = (count >= 14 && count <= 16) || (group > 0 && count > 12);
    if (
      !(isUsual && hasCardPrefix(digits)) &&
      !cardWords.test(text.slice(Math.max(0, run.start - 60), run.start))
    )
      continue;
    found.add({ start: run.start, end, kind: 'CREDIT_CARD' }, byChecksum);
    return end;
  }
  return undefined;
}

/** One group, or groups of three digits and more with the same character between them. */
function hasCardGroups({ sizes, gaps }: NumberRun, last: number): boolean {
  for (let group = 0; group <= last && last > 0; group++) {
    const size = sizes[group] ?? 0;
    if (size > 7 || size < (group === last ? 2 : 4)) return false;
    if (group > 0 && (gaps[group - 1] !== gaps[0] || (gaps[0] ?? '').length > 1)) return false;
  }
  return true;
}

function hasCardPrefix(digits: string): boolean {
  return cardRanges.some(([from, to, lengths]) => {
    const prefix = digits.slice(0, from.length);
    return prefix >= from && prefix <= to && lengths.includes(digits.length);
  });
}

/** IBAN registry, release 100: the characters of an IBAN in each country. */
const ibanLengths = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'LY PT ST YE',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)])),
);
/** An IBAN in groups of four. */
export const ibanCharactersMax = 33 + 8;

/** An IBAN that begins with two letters and two digits at this place. */
export function ibanAt(text: string, at: number, found: PatternFindings): boolean {
  const { iban, length, end } = readIban(text, at);
  if (iban.length !== length || (classOf(text.charCodeAt(end)) & word) !== 0) return false;
  if (remainderOf(iban.slice(4) + iban.slice(0, 4), 97) !== 1) return false;
  found.add({ start: at, end, kind: 'IBAN' }, byChecksum);
  return true;
}

/** Whether the text ends within what may be an IBAN that begins at this place. */
export function isPartialIban(text: string, at: number): boolean {
  const { end } = readIban(text, at);
  return end > at && end >= text.length - 1;
}

/** As much of an IBAN as there is, with single spaces or hyphens between its groups. */
function readIban(
  text: string,
  at: number,
): { readonly iban: string; readonly length: number; readonly end: number } {
  const length = ibanLengths.get(text.slice(at, at + 2).toUpperCase()) ?? 0;
  let iban = '';
  let end = at;
  while (iban.length < length) {
    const code = text.charCodeAt(end);
    const isAllowed = (classOf(code) & (iban.length === 2 || iban.length === 3 ? digit : alphanumeric)) !== 0;
    if (isAllowed) iban += text.charAt(end);
    else if ((code !== 32 && code !== 45) || (classOf(text.charCodeAt(end + 1)) & alphanumeric) === 0) break;
    end++;
  }
  return { iban, length, end };
}
