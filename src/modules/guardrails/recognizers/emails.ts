import { alphanumeric, classOf } from './characters.ts';
import { endOfIpv4 } from './network-addresses.ts';
import { byFormat, type PatternFindings } from './pattern-findings.ts';

const localCharactersMax = 64;
const domainCharactersMax = 190;
const urlCharactersMax = 1000;
export const emailCharactersMax = localCharactersMax + domainCharactersMax + 3;

/** Characters of local parts beside letters and digits. RFC 5322 allows more, which texts use as punctuation. */
const localPunctuation = "._%+-'";
/** Names with these endings are files, such as `icon@2x.png` and `types@4.d.ts`. */
const fileEndings =
  /^(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|js|mjs|cjs|ts|tsx|jsx|json|css|scss|html?|map|lock|tgz|gz|zip|tar|txt|yaml|yml|toml|woff2?|ttf|mp[34]|wav|wasm|exe|dll|conf|cfg|ini|log|csv|xml|pdf|docx?|xlsx?|patch|diff)$/i;

/** An e-mail address around the `@` (or its escape in a URL, `%40`) at this place. */
export function emailAround(text: string, at: number, found: PatternFindings): void {
  const start = startOfLocalPart(text, at);
  const domain = at + (text.charCodeAt(at) === 64 ? 1 : 3);
  const end = start === at ? domain : endOfDomain(text, domain);
  if (end === domain || isPassword(text, start) || isRemote(text.slice(start, at), text.charCodeAt(end)))
    return;
  found.add({ start, end, kind: 'EMAIL' }, byFormat);
}

function startOfLocalPart(text: string, at: number): number {
  if (text.charCodeAt(at - 1) === 34) {
    const quote = text.lastIndexOf('"', at - 2);
    return quote >= at - localCharactersMax && !text.slice(quote, at).includes('\n')
      ? Math.max(quote, 0)
      : at;
  }
  let start = at;
  while (start > 0 && at - start < localCharactersMax && isLocalCharacter(text.charCodeAt(start - 1)))
    start--;
  while (start < at && !isNameCharacter(text.charCodeAt(start))) start++;
  return text.charCodeAt(at - 1) === 46 ? at : start;
}

function isLocalCharacter(code: number): boolean {
  return isNameCharacter(code) || localPunctuation.includes(String.fromCharCode(code));
}

/** ASCII letters and digits, and everything outside of ASCII that isn't punctuation. */
function isNameCharacter(code: number): boolean {
  if (code < 128) return (classOf(code) & alphanumeric) !== 0 || code === 95;
  return /[\p{L}\p{M}\p{Nd}\ud800-\udfff]/u.test(String.fromCharCode(code));
}

/** Where the domain ends; its start if there is none. */
function endOfDomain(text: string, start: number): number {
  const address = text.charCodeAt(start) === 91 ? start + 1 : start;
  const afterAddress = endOfIpv4(text, address);
  if (afterAddress !== undefined) return afterAddress + address - start;
  let end = start;
  let at = start;
  let labels = 0;
  while (at - start < domainCharactersMax) {
    const label = at;
    while (at - label < 63 && isDomainCharacter(text.charCodeAt(at))) at++;
    if (at === label || text.charCodeAt(label) === 45) break;
    labels++;
    if (labels > 1 && isTopLevelDomain(text.slice(label, at))) end = at;
    if (text.charCodeAt(at) !== 46) break;
    at++;
  }
  // In `a@b.com-c` or `a@b.1x`, the name goes on.
  return end === at || text.charCodeAt(end) === 46 ? end : start;
}

function isDomainCharacter(code: number): boolean {
  return isNameCharacter(code) ? code !== 95 : code === 45;
}

function isTopLevelDomain(label: string): boolean {
  return /^(?:\p{L}[\p{L}\p{M}]{1,23}|xn--[a-z0-9-]{2,59})$/iu.test(label) && !fileEndings.test(label);
}

/** The end of a password in a URL. */
function isPassword(text: string, start: number): boolean {
  return (
    text.charCodeAt(start - 1) === 58 && /:\/\/[^\s/@]*$/.test(text.slice(Math.max(0, start - 60), start))
  );
}

/** `git@host:path` */
function isRemote(local: string, after: number): boolean {
  return /^(?:git|hg|svn)$/.test(local) && (after === 58 || after === 47);
}

/** A URL, for those who want them hidden, too; at the colon of `://`. Where it ends. */
export function urlAt(text: string, colon: number, found: PatternFindings): number {
  const start = text.startsWith('https', colon - 5) ? colon - 5 : colon - 4;
  let end = colon + 3;
  while (end - colon < urlCharactersMax && isUrlCharacter(text.charCodeAt(end))) end++;
  while (/[.,;:!?)'*\]]/.test(text.charAt(end - 1))) end--;
  const hasHost = (classOf(text.charCodeAt(colon + 3)) & alphanumeric) !== 0;
  if (hasHost && text.startsWith('http', start)) found.add({ start, end, kind: 'URL' }, byFormat);
  return end;
}

function isUrlCharacter(code: number): boolean {
  return code > 32 && code !== 34 && code !== 60 && code !== 62 && code !== 96 && !Number.isNaN(code);
}
