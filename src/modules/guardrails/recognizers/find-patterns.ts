import type { Finding } from '../finding.ts';
import { secretKinds } from '../finding.ts';
import { cardIn, ibanAt } from './bank-numbers.ts';
import { classOf, digit, hex, isDigit, word } from './characters.ts';
import { emailAround, urlAt } from './emails.ts';
import { foldText } from './fold-text.ts';
import { byFormat, FoundPatterns } from './found-patterns.ts';
import { ipv4At, ipv6Around, macAt } from './network-addresses.ts';
import { readNumberRun } from './number-run.ts';
import { bracketedPhoneAt, internationalPhoneAt, nationalPhoneIn } from './phones.ts';
import { announcementAround, assignmentAround } from './secrets/assignments.ts';
import { credentialUrlAround } from './secrets/credential-urls.ts';
import { privateKeyAt } from './secrets/private-keys.ts';
import { prefixedSecretAt } from './secrets/secret-formats.ts';
import { authorizationAt, jwtAt, structuredSecretAt } from './secrets/tokens.ts';

/**
 * All findings of the wanted kinds, in order of position, without overlaps. The text is read once; recognizers run only where a
 * character or the beginning of a word allows it, and look at a bounded number of characters around that place.
 */
export function findPatterns(text: string, kinds: ReadonlySet<string>): readonly Finding[] {
  const folded = foldText(text);
  const found = new FoundPatterns(kinds);
  new Scan(folded?.text ?? text, found).run();
  const findings = found.findings();
  if (folded === undefined) return findings;
  return findings.map(({ start, end, kind }) => ({ ...folded.rangeOf(start, end), kind }));
}

/** One pass over a text. */
class Scan {
  readonly #text: string;
  readonly #found: FoundPatterns;
  readonly #wantsSecrets: boolean;
  readonly #wantsEmails: boolean;

  constructor(text: string, found: FoundPatterns) {
    this.#text = text;
    this.#found = found;
    this.#wantsSecrets = secretKinds.some((kind) => found.wants(kind));
    this.#wantsEmails = found.wants('EMAIL');
  }

  run(): void {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const classes = classOf(text.charCodeAt(at));
      if ((classes & word) === 0) {
        at = this.#atPunctuation(at);
        continue;
      }
      let end = at;
      let seen = 0;
      for (let own = classes; (own & word) !== 0; own = classOf(text.charCodeAt(++end))) seen |= own;
      at =
        (classes & digit) !== 0
          ? this.#atNumber(at, end)
          : this.#atWord(at, { end, hasDigits: (seen & digit) !== 0 });
    }
  }

  /** Where the scan goes on. */
  #atPunctuation(at: number): number {
    const text = this.#text;
    const found = this.#found;
    switch (text.charCodeAt(at)) {
      case 64: // @
        if (this.#wantsEmails) emailAround(text, at, found);
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
      if (this.#found.wants('URL')) urlAt(text, at, this.#found);
      return (this.#wantsSecrets ? credentialUrlAround(text, at, this.#found) : undefined) ?? at + 3;
    }
    const next = text.charCodeAt(at + 1);
    if (next === 58 || (classOf(next) & hex) !== 0) ipv6Around(text, at, this.#found);
    if (this.#wantsSecrets) assignmentAround(text, at, this.#found);
    return at + 1;
  }

  /** A word that begins with a letter or an underscore. */
  #atWord(start: number, { end, hasDigits }: { readonly end: number; readonly hasDigits: boolean }): number {
    const text = this.#text;
    const found = this.#found;
    // In `\nsk-…`, the n belongs to the escape.
    const at = text.charCodeAt(start - 1) === 92 ? start + 1 : start;
    if (this.#wantsSecrets) {
      const after = this.#secretAt(at, end);
      if (after !== undefined) return after;
    }
    if (end - at === 2 && isPairSeparator(text.charCodeAt(end))) macAt(text, at, found);
    if (!hasDigits) return end;
    if (end - at === 4 && text.charCodeAt(end) === 46) macAt(text, at, found);
    if (isDigit(text.charCodeAt(at + 2)) && isDigit(text.charCodeAt(at + 3))) ibanAt(text, at, found);
    return end;
  }

  #secretAt(at: number, end: number): number | undefined {
    const text = this.#text;
    const found = this.#found;
    const prefixed = prefixedSecretAt(text, at, found);
    if (prefixed !== undefined) return prefixed;
    const first = text.charCodeAt(at) | 32;
    if (first === 101) {
      const jwt = jwtAt(text, at, found);
      if (jwt !== undefined) return jwt;
    } else if (first === 98) authorizationAt(text, at, found);
    if (end - at <= 6 && (first === 105 || first === 101 || first === 108) && isVerb(text.slice(at, end)))
      announcementAround(text, { start: at, end }, found);
    const structured = structuredSecretAt(text, at, end);
    if (structured !== undefined) found.add({ start: at, end: structured, kind: 'TOKEN' }, byFormat);
    return structured;
  }

  /** A word that begins with a digit. */
  #atNumber(at: number, wordEnd: number): number {
    const text = this.#text;
    const found = this.#found;
    let end = at;
    while (isDigit(text.charCodeAt(end))) end++;
    if (this.#wantsSecrets) {
      const after = this.#secretAt(at, wordEnd);
      if (after !== undefined) return after;
    }
    const length = wordEnd - at;
    const after = text.charCodeAt(wordEnd);
    if ((length === 2 && isPairSeparator(after)) || (length === 4 && after === 46)) macAt(text, at, found);
    if (end !== wordEnd) return this.#atMixedWord(at, { digitsEnd: end, end: wordEnd });
    // Most numbers are short and stand alone.
    if (length < 6 && !isDigit(text.charCodeAt(wordEnd + 1)) && !isDigit(text.charCodeAt(wordEnd + 2)))
      return wordEnd;
    if (after === 46 && length <= 3 && ipv4At(text, at, found)) return wordEnd;
    const run = readNumberRun(text, at);
    return cardIn(text, run, found) ?? nationalPhoneIn(text, run, found) ?? wordEnd;
  }

  /** A word of digits and letters that begins with a digit. */
  #atMixedWord(at: number, { digitsEnd, end }: { readonly digitsEnd: number; readonly end: number }): number {
    // The extension of a phone number: 212-555-0100x12
    if (digitsEnd - at >= 7 && (this.#text.charCodeAt(digitsEnd) | 32) === 120)
      nationalPhoneIn(this.#text, readNumberRun(this.#text, at), this.#found);
    return end;
  }
}

function isPairSeparator(code: number): boolean {
  return code === 58 || code === 45;
}

function isVerb(text: string): boolean {
  return /^(?:is|ist|est|es|lautet|era)$/i.test(text);
}
