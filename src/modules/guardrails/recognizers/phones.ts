import { isInternationalNumber } from './calling-codes.ts';
import { classOf, digit, endOfRun, isDigit, word } from './characters.ts';
import { followsNumber, isApartOnLeft, isApartOnRight, type NumberRun, readNumberRun } from './number-run.ts';
import { byFormat, bySurroundings, type PatternFindings } from './pattern-findings.ts';

const digitsMin = 7;
const digitsMax = 15;
/** Without gaps, more digits are a time in milliseconds or an id. */
const bareDigitsMax = 12;
const labelCharacters = 60;
/** `office` and such after a number. */
export const phoneTailCharacters = 22;

const extension = /\s?(?:x|ext\.?|extension|#)\s?\d{1,6}(?![\w])/iy;
const nouns =
  /\b(?:(?:tele)?phones?|tel|telefax|mobile|cell(?:phone)?|landline|fax|hotline|whats\s?app|viber|sms|telefon(?:nummer|o|e|szám|u|a)?|teléfonos?|téléphone|telefone|telefoon(?:nummer)?|handy(?:nummer)?|rufnummer|mobil(?:e|nummer|telefon)?|móvil|celular|telemóvel|cellulare|portable|puhelin(?:numero)?|matkapuhelin|nomor hp|telp|komórk\w{1,3}|mobiel)\b|тел(?:ефон)?|моб|電話|电话|手机|携帯|전화|핸드폰|هاتف|جوال|טלפון|נייד|τηλ|κινητό|फ़ोन|मोबाइल|โทร|điện thoại/i;
const everyNoun = new RegExp(nouns, 'gi');
const verbs =
  /\b(?:call|calling|called|dial|ring|rang|phone|text(?:ed)? (?:me|us|him|her|them)|messag(?:e|es|ed|ing)|answer|answering|reach|reached|contact|registered|anrufen|erreich\w{1,4}|appele[rz]|llam\w{1,4}|lig\w{2,4}|chiam\w{1,5})\b(?:[^.!?\n]{0,30} (?:at|on|to|under|via|unter|auf|au|al|no|på|op)\b)?(?: (?:me|us|him|her|them|back|my|the|registered|number|nummer|is|nr\.?|no\.?)){0,3}:? ?$/i;
const places = /\b(?:desk|office|home|work|direct|main|pager)(?: (?:no\.?|number|line))?:\s{0,3}$/i;
const otherLabels =
  /\b(?:accounts?|orders?|invoice|ids?|iban|cards?|ssn|zip|postcode|ref(?:erence)?|ticket|case|claim|policy|member|customer|tracking|serial|version|isbn|sku|codes?|amount|total|price|port|pid|lines?|bytes|size|passport|licen[sc]e|tax|vat|nhs|security|pin|otp|timestamp|time|date|born|birth|hash|commit|key|token|steuer\w{0,8}|konto\w{0,8}|dni|nif|bsn|pesel)\b/i;
/** `Tel. 555 0100 or 555 0101` */
const continuesList = /(?:[,/&]| (?:or|and|oder|und|ou|et|o|y|e)) ?$/i;
const followingLabel =
  /^[ ]?[-(,]?[ ]?(?:is (?:my|his|her|our|their|the) )?(?:office|fax|mobile|cell|home|work|desk|direct|phone)\b/i;
/** Dates, decimal fractions, and ranges of prices. */
const otherNumbers =
  /^(?:\d{1,7}00[-./ ]\d{1,7}00$|\d{1,4}\.\d+$|\d{4}([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2\d{2,4})(?: |$)/;

/** A number with its calling code; at the `+`. */
export function internationalPhoneAt(text: string, plus: number, found: PatternFindings): number | undefined {
  const start = text.charCodeAt(plus + 1) === 40 ? plus + 2 : plus + 1;
  if (!isDigit(text.charCodeAt(start)) || (classOf(text.charCodeAt(plus - 1)) & word) !== 0) return undefined;
  return addInternational(text, { start: plus, run: readNumberRun(text, start) }, found);
}

function addInternational(
  text: string,
  { start, run }: { readonly start: number; readonly run: NumberRun },
  found: PatternFindings,
): number | undefined {
  const trunk = run.gaps.findIndex(
    (gap, at) => gap.endsWith('(') && (run.gaps[at + 1] ?? '').startsWith(')'),
  );
  const hasTrunkZero = trunk !== -1 && run.digits.slice(run.counts[trunk], run.counts[trunk + 1]) === '0';
  for (let group = run.counts.length - 1; group >= 0; group--) {
    const count = run.counts[group] ?? 0;
    const end = run.ends[group] ?? 0;
    if (count > digitsMax + 1 || (group === run.counts.length - 1 && isDigit(text.charCodeAt(end)))) continue;
    const zero = hasTrunkZero && group > trunk ? (run.counts[trunk] ?? 0) : undefined;
    const digits =
      zero === undefined
        ? run.digits.slice(0, count)
        : run.digits.slice(0, zero) + run.digits.slice(zero + 1, count);
    if (!isInternationalNumber(digits.startsWith('00') ? digits.slice(2) : digits)) continue;
    const whole = endWithExtension(text, end);
    found.add({ start, end: whole, kind: 'PHONE' }, byFormat);
    return whole;
  }
  return undefined;
}

/** A number with its area code in parentheses; at the opening one. */
export function bracketedPhoneAt(text: string, bracket: number, found: PatternFindings): number | undefined {
  if (text.charCodeAt(endOfRun(text, bracket + 1, digit)) !== 41) return undefined;
  const run = readNumberRun(text, bracket + 1);
  const area = run.counts[0] ?? 0;
  const isAreaCode = area >= 2 && area <= 5 && /^\) ?$|^\)-$/.test(run.gaps[0] ?? '');
  if (!isAreaCode || (classOf(text.charCodeAt(bracket - 1)) & word) !== 0) return undefined;
  // Two groups of three digits and more, or one of six and more.
  const groups = run.sizes.slice(1);
  const last = groups.length > 1 && (groups[0] ?? 0) <= 5 ? 2 : 1;
  const [digits, end] = [run.counts[last] ?? 0, run.ends[last] ?? 0];
  if (
    groups.slice(0, last).some((size) => size < 3) ||
    digits < 8 ||
    digits > 11 ||
    !isApartOnRight(text, endWithExtension(text, end))
  )
    return undefined;
  const whole = endWithExtension(text, end);
  found.add({ start: bracket, end: whole, kind: 'PHONE' }, byFormat);
  return whole;
}

/** A number as it is written within its country: by its groups, or by the words around it. */
export function nationalPhoneIn(text: string, run: NumberRun, found: PatternFindings): number | undefined {
  const groups = trailingGroupsCut(run);
  const count = run.counts[groups - 1] ?? 0;
  if (
    count < digitsMin ||
    count > (groups === 1 ? bareDigitsMax : digitsMax) ||
    !isApartOnLeft(text, run.start)
  )
    return undefined;
  if (groups > 1 && /^00[1-9]/.test(run.digits) && !followsNumber(text, run.start)) {
    const end = addInternational(text, { start: run.start, run }, found);
    if (end !== undefined) return end;
  }
  const end = endWithExtension(text, run.ends[groups - 1] ?? 0);
  if (
    !isApartOnRight(text, end) ||
    otherNumbers.test(text.slice(run.start, end)) ||
    new Set(run.digits).size < 3
  )
    return undefined;
  const isFormatted =
    groups === run.counts.length && !followsNumber(text, run.start) && hasNationalFormat(run);
  if (!isFormatted && !isLabelled(text, run.start, end)) return undefined;
  found.add({ start: run.start, end, kind: 'PHONE' }, isFormatted ? byFormat : bySurroundings);
  return end;
}

/** The groups without single digits at the end, which belong to the sentence. */
function trailingGroupsCut(run: NumberRun): number {
  let groups = run.counts.length;
  while (groups > 1 && run.sizes[groups - 1] === 1) groups--;
  return groups;
}

/** Formats that are hardly used for anything else. */
function hasNationalFormat(run: NumberRun): boolean {
  const { digits, gaps, sizes } = run;
  if (gaps.length === 0 || gaps.some((gap) => gap.length > 1)) return false;
  const shape = sizes.join(' ');
  // North America: 212-555-0100, 1.212.555.0100
  if (/^(?:1 )?3 3 4$/.test(shape)) {
    const gap = gaps.at(-1);
    return gap === gaps.at(-2) && gap !== ' ' && gap !== '/' && /^1?[2-9]\d\d[2-9]/.test(digits);
  }
  // Mobile numbers of the United Kingdom and Germany: 07700 900123, 0151 12345678
  if (shape === '5 6') return digits.startsWith('07') && gaps[0] === ' ';
  if (shape === '4 7' || shape === '4 8') return /^01[567]/.test(digits) && gaps[0] !== '.';
  // Mobile numbers of China: 138 0013 8000
  if (shape === '3 4 4' && /^1[3-9]/.test(digits)) return gaps[0] === gaps[1];
  // A trunk prefix and an area code first: 020 7946 0958, 01 23 45 67 89, 0412 345 678, 090-1234-5678, 08-123 456 78
  if (!/^0[1-9]/.test(digits) || digits.length < 9 || digits.length > 11 || sizes.length < 3) return false;
  return (
    sizes.every((size) => size >= 2 && size <= 4) &&
    gaps.slice(1).every((gap) => gap === gaps[1] && gap !== '/')
  );
}

function isLabelled(text: string, start: number, end: number): boolean {
  const after = text.charCodeAt(end);
  if (
    (after === 32 || after === 45 || after === 40) &&
    followingLabel.test(text.slice(end, end + phoneTailCharacters))
  )
    return true;
  const before = text.slice(Math.max(0, start - labelCharacters), start);
  if (places.test(before) || verbs.test(before)) return true;
  if (!nouns.test(before)) return false;
  const label = [...before.matchAll(everyNoun)].at(-1);
  if (label === undefined) return false;
  const between = before.slice(label.index + label[0].length);
  return (
    !/[;!?]/.test(between) &&
    !otherLabels.test(between) &&
    (!/\d/.test(between) || continuesList.test(between))
  );
}

function endWithExtension(text: string, end: number): number {
  extension.lastIndex = end;
  return extension.test(text) ? extension.lastIndex : end;
}
