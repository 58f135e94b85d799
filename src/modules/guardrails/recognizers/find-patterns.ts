import type { Finding } from '../finding.ts';
import { secretKinds } from '../finding.ts';
import { cardIn, ibanAt } from './bank-numbers.ts';
import { classOf, digit, hex, isDigit, word } from './characters.ts';
import { cryptoAddressAt } from './crypto-addresses.ts';
import { emailAround, urlAt } from './emails.ts';
import { foldText } from './fold-text.ts';
import { degreesAround, labelBeginnings, labelledValueAt, mapPositionAt } from './labelled-values.ts';
import { letteredNumberAt, mixedNumberAt, nationalNumberIn } from './national/national-numbers.ts';
import { ipv4At, ipv6Around, macAt } from './network-addresses.ts';
import { followsNumber, isApartOnLeft, isGap, readNumberRun, startOfNextGroup } from './number-run.ts';
import { byFormat, PatternFindings } from './pattern-findings.ts';
import { bracketedPhoneAt, internationalPhoneAt, nationalPhoneIn } from './phones.ts';
import { announcementAround, assignmentAround } from './secrets/assignments.ts';
import { credentialUrlAround } from './secrets/credential-urls.ts';
import { privateKeyAt } from './secrets/private-keys.ts';
import { prefixedSecretAt, secretBeginnings } from './secrets/secret-formats.ts';
import { authorizationAt, jwtAt, structuredSecretAt } from './secrets/tokens.ts';

/**
 * All findings of the wanted kinds, in order of position, without overlaps. The text is read once; recognizers run only where a
 * character or the beginning of a word allows it, and look at a bounded number of characters around that place.
 */
export function findPatterns(text: string, kinds: ReadonlySet<string>): readonly Finding[] {
  const folded = foldText(text);
  const found = new PatternFindings(kinds);
  new Scan(folded?.text ?? text, found).run();
  const findings = found.findings();
  if (folded === undefined) return findings;
  return findings.map(({ start, end, kind }) => ({ ...folded.rangeOf(start, end), kind }));
}

/** One pass over a text. */
class Scan {
  readonly #text: string;
  readonly #found: PatternFindings;
  readonly #wantsSecrets: boolean;
  readonly #wantsEmails: boolean;
  /** Of the last URL; the addresses within it belong to it. */
  #urlEnd = 0;

  constructor(text: string, found: PatternFindings) {
    this.#text = text;
    this.#found = found;
    this.#wantsSecrets = secretKinds.some((kind) => found.wants(kind));
    this.#wantsEmails = found.wants('EMAIL');
  }

  run(): void {
    const text = this.#text;
    const { length } = text;
    let at = 0;
    while (at < length) {
      const code = text.charCodeAt(at);
      const first = classOf(code);
      if ((first & word) === 0) {
        at = code < triggers.length && triggers[code] === 1 ? this.#atPunctuation(at, code) : at + 1;
        continue;
      }
      let end = at + 1;
      let seen = first;
      while (end < length) {
        const classes = classOf(text.charCodeAt(end));
        if ((classes & word) === 0) break;
        seen |= classes;
        end++;
      }
      if ((first & digit) !== 0) at = this.#atNumber(at, end);
      else if ((seen & digit) !== 0 || end - at === 2 || mayBegin(text, at))
        at = this.#atWord(at, end, (seen & digit) !== 0);
      else at = end;
    }
  }

  /** Where the scan goes on. */
  #atPunctuation(at: number, code: number): number {
    const text = this.#text;
    const found = this.#found;
    switch (code) {
      case 64: // @
        if (this.#wantsEmails) emailAround(text, at, found);
        mapPositionAt(text, at, found);
        break;
      case 176: // °
        degreesAround(text, at, found);
        break;
      case 37: // %40 is an escaped @
        if (this.#wantsEmails && text.startsWith('40', at + 1)) emailAround(text, at, found);
        break;
      case 43: // +
        return internationalPhoneAt(text, at, found) ?? at + 1;
      case 40: // (
        if (isDigit(text.charCodeAt(at + 1))) return bracketedPhoneAt(text, at, found) ?? at + 1;
        break;
      case 58: // :
        return this.#atColon(at);
      case 61: // =
        if (this.#wantsSecrets) assignmentAround(text, at, found);
        break;
      case 45: // -
        if (text.startsWith('-----BEGIN', at)) return privateKeyAt(text, at, found) ?? at + 1;
        break;
    }
    return at + 1;
  }

  #atColon(at: number): number {
    const text = this.#text;
    if (text.startsWith('//', at + 1)) {
      if (this.#found.wants('URL') && at >= this.#urlEnd) this.#urlEnd = urlAt(text, at, this.#found);
      return (this.#wantsSecrets ? credentialUrlAround(text, at, this.#found) : undefined) ?? at + 3;
    }
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    if (next === 58 || (classOf(next) & hex) !== 0) ipv6Around(text, at, this.#found);
    if (this.#wantsSecrets) assignmentAround(text, at, this.#found);
    return at + 1;
  }

  /** A word that begins with a letter or an underscore. */
  #atWord(start: number, end: number, hasDigits: boolean): number {
    const text = this.#text;
    const found = this.#found;
    // In `\nsk-…`, the n belongs to the escape.
    const at = start > 0 && text.charCodeAt(start - 1) === 92 ? start + 1 : start;
    const beginning = beginningAt(text, at);
    if (beginning !== 0) {
      if (this.#wantsSecrets) {
        const after = this.#secretAt(at, end, beginning);
        if (after !== undefined) return after;
      }
      if ((beginning & labelBeginning) !== 0) labelledValueAt(text, at, found);
    }
    if (end - at === 2) this.#atTwoLetters(at);
    return hasDigits ? this.#atLettersAndDigits(at, end) : end;
  }

  #secretAt(at: number, end: number, beginning: number): number | undefined {
    const text = this.#text;
    const found = this.#found;
    if ((beginning & prefixBeginning) !== 0) {
      const prefixed = prefixedSecretAt(text, at, found);
      if (prefixed !== undefined) return prefixed;
    }
    if ((beginning & tokenBeginning) !== 0) {
      const token = jwtAt(text, at, found) ?? authorizationAt(text, at, found);
      if (token !== undefined) return token;
    }
    if ((beginning & verbBeginning) !== 0 && end - at <= 6 && isVerb(text.slice(at, end)))
      announcementAround(text, { start: at, end }, found);
    return undefined;
  }

  #atLettersAndDigits(at: number, end: number): number {
    const text = this.#text;
    const found = this.#found;
    const secret = this.#wantsSecrets ? structuredSecretAt(text, at, end) : undefined;
    if (secret !== undefined) {
      found.add({ start: at, end: secret, kind: 'TOKEN' }, byFormat);
      return secret;
    }
    if (end - at === 4 && text.charCodeAt(end) === 46) macAt(text, at, found);
    if (isDigit(text.charCodeAt(at + 2)) && isDigit(text.charCodeAt(at + 3)) && ibanAt(text, at, found))
      return end;
    if (end - at >= 25) cryptoAddressAt(text, { start: at, end }, found);
    return (isCapital(text.charCodeAt(at)) ? letteredNumberAt(text, at, found) : undefined) ?? end;
  }

  #atTwoLetters(at: number): void {
    const after = this.#text.charCodeAt(at + 2);
    if (isPairSeparator(after)) macAt(this.#text, at, this.#found);
    // National insurance: AB 12 34 56 C
    else if (
      after === 32 &&
      isDigit(this.#text.charCodeAt(at + 3)) &&
      isCapital(this.#text.charCodeAt(at + 1))
    )
      letteredNumberAt(this.#text, at, this.#found);
  }

  /** A word that begins with a digit. */
  #atNumber(at: number, wordEnd: number): number {
    const text = this.#text;
    const found = this.#found;
    const length = wordEnd - at;
    const after = wordEnd < text.length ? text.charCodeAt(wordEnd) : 0;
    // Most numbers are short and stand alone.
    if (length < 6 && !isGap(after) && after !== 58 && after !== 126) return wordEnd;
    if (this.#wantsSecrets && (length >= 8 || after === 126 || (length === 1 && after === 47))) {
      const secret = this.#secretInDigits(at, wordEnd);
      if (secret !== undefined) return secret;
    }
    if ((length === 2 && isPairSeparator(after)) || (length === 4 && after === 46)) macAt(text, at, found);
    let end = at;
    while (end < wordEnd && isDigit(text.charCodeAt(end))) end++;
    if (end !== wordEnd) return this.#atMixedWord(at, end, wordEnd);
    return this.#atDigits(at, end, after);
  }

  #secretInDigits(at: number, end: number): number | undefined {
    const prefixed = prefixedSecretAt(this.#text, at, this.#found);
    const secret = prefixed ?? structuredSecretAt(this.#text, at, end);
    if (prefixed === undefined && secret !== undefined)
      this.#found.add({ start: at, end: secret, kind: 'TOKEN' }, byFormat);
    return secret;
  }

  /** A word of digits only. */
  #atDigits(at: number, end: number, after: number): number {
    const text = this.#text;
    const found = this.#found;
    const length = end - at;
    const isInRow = followsNumber(text, at);
    if ((isInRow && length < 4 && after !== 45) || !isApartOnLeft(text, at)) return end;
    const next = startOfNextGroup(text, end);
    if (after === 46 && length <= 3 && ipv4At(text, at, found)) return end;
    if (isMixedNumber(text, at, end)) {
      const mixed = mixedNumberAt(text, at, found);
      if (mixed !== undefined) return mixed;
    }
    if (length < 7 && next === undefined) return end;
    const run = readNumberRun(text, at);
    if (run.digits.length < 7) return end;
    const card = cardIn(text, run, found);
    if (card !== undefined || (isInRow && run.gaps[0] !== '-')) return card ?? end;
    return nationalNumberIn(text, run, found) ?? nationalPhoneIn(text, run, found) ?? end;
  }

  /** A word of digits and letters that begins with a digit. */
  #atMixedWord(at: number, digitsEnd: number, end: number): number {
    // The extension of a phone number: 212-555-0100x12
    if (digitsEnd - at >= 7 && (this.#text.charCodeAt(digitsEnd) | 32) === 120)
      nationalPhoneIn(this.#text, readNumberRun(this.#text, at), this.#found);
    if (end - at >= 25) cryptoAddressAt(this.#text, { start: at, end }, this.#found);
    return (
      (digitsEnd - at >= 6 || end - at === 11 ? mixedNumberAt(this.#text, at, this.#found) : undefined) ?? end
    );
  }
}

/** `the password is …`, in some languages. */
const verbs = ['is', 'ist', 'est', 'es', 'lautet', 'era'];

/** Punctuation that a recognizer looks at. */
const triggers = new Uint8Array(256);
for (const character of '@%+(:=-°') triggers[character.charCodeAt(0)] = 1;

const prefixBeginning = 1;
const labelBeginning = 2;
const tokenBeginning = 4;
const verbBeginning = 8;
/** What words with these first three characters may be. Others may share the place of one, which costs a second look. */
const beginnings = new Uint8Array(32_768);
for (const [bit, list] of [
  [prefixBeginning, secretBeginnings],
  [labelBeginning, inAnyCase(labelBeginnings)],
  [tokenBeginning, ['eyJ', ...inAnyCase(['bearer', 'basic'])]],
  [verbBeginning, inAnyCase(verbs.flatMap((verb) => (verb.length > 2 ? [verb] : [`${verb} `, `${verb}:`])))],
] as const)
  for (const beginning of list) {
    const place = placeOfBeginning(beginning, 0);
    beginnings[place] = (beginnings[place] ?? 0) | bit;
  }

function inAnyCase(list: readonly string[]): readonly string[] {
  return list.flatMap((text) => [text, text.charAt(0).toUpperCase() + text.slice(1), text.toUpperCase()]);
}

function placeOfBeginning(text: string, at: number): number {
  return ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 37 + text.charCodeAt(at + 2)) & 32_767;
}

function beginningAt(text: string, at: number): number {
  return at + 2 < text.length ? (beginnings[placeOfBeginning(text, at)] ?? 0) : 0;
}

/** Whether a word needs a look, as itself or without the letter of an escape before it. */
function mayBegin(text: string, at: number): boolean {
  return beginningAt(text, at) !== 0 || (at > 0 && text.charCodeAt(at - 1) === 92);
}

function isPairSeparator(code: number): boolean {
  return code === 58 || code === 45;
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

/** `12345678-Z`, `131052-308T` and `12.345.678-K` */
function isMixedNumber(text: string, start: number, end: number): boolean {
  const length = end - start;
  const after = text.charCodeAt(end);
  if (length === 6 || length === 8) return after === 45 || after === 43;
  return length <= 2 && after === 46 && text.charCodeAt(end + 4) === 46;
}

function isVerb(text: string): boolean {
  return verbs.includes(text.toLowerCase());
}
