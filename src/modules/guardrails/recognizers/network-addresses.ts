import { isIPv6 } from 'node:net';
import { alphanumeric, classOf, endOfRun, hex, isDigit, word } from './characters.ts';
import { isApartOnLeft } from './number-run.ts';
import { byFormat, bySurroundings, type PatternFindings } from './pattern-findings.ts';

const ipv4 = /(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?![\w]|\.\d)/y;
const versionWords =
  /(?:\b(?:v|ver|version|versions|release|build|firmware|chrome|safari|edge?|opr)[\s:=/"']{0,3}|[@~^<>]=?\s?)$/i;
const mac = /[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?![:-]?[0-9a-z])/iy;
const dottedMac = /[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![.\w])/iy;
const ipv6CharactersMax = 45;

/** Where an IPv4 address that begins here ends. */
export function endOfIpv4(text: string, at: number): number | undefined {
  ipv4.lastIndex = at;
  return ipv4.test(text) ? ipv4.lastIndex : undefined;
}

/** An IPv4 address that begins with the digit at this place; true if the number has four parts and can be nothing else. */
export function ipv4At(text: string, at: number, found: PatternFindings): boolean {
  const end = endOfIpv4(text, at);
  if (end === undefined || !isApartOnLeft(text, at)) return false;
  const first = text.slice(at, text.indexOf('.', at));
  const isNetwork = text.startsWith('.0', end - 2) && text.charAt(end) === '/';
  const isHost = first !== '0' && first !== '127' && first !== '255' && !text.startsWith('.0.0', end - 4);
  if (isHost && !isNetwork && !versionWords.test(text.slice(Math.max(0, at - 12), at)))
    found.add({ start: at, end, kind: 'IP_ADDRESS' }, byFormat);
  return true;
}

/** An IPv6 address around the first of its colons. */
export function ipv6Around(text: string, colon: number, found: PatternFindings): void {
  let start = colon;
  while (start > 0 && colon - start < 5 && (classOf(text.charCodeAt(start - 1)) & hex) !== 0) start--;
  if (
    colon - start > 4 ||
    (classOf(text.charCodeAt(start - 1)) & word) !== 0 ||
    text.charCodeAt(start - 1) === 58
  )
    return;
  let end = colon;
  while (end - start <= ipv6CharactersMax && isIpv6Character(text.charCodeAt(end))) end++;
  while (
    end > colon &&
    (text.charCodeAt(end - 1) === 46 || (text.charCodeAt(end - 1) === 58 && text.charCodeAt(end - 2) !== 58))
  )
    end--;
  if ((classOf(text.charCodeAt(end)) & alphanumeric) !== 0) return;
  const address = text.slice(start, end);
  const isNetwork = address.endsWith('::') && text.charAt(end) === '/';
  if (address.length < 6 || isNetwork || !isIPv6(address) || !identifiesHost(address)) return;
  found.add({ start, end, kind: 'IP_ADDRESS' }, byFormat);
}

function isIpv6Character(code: number): boolean {
  return (classOf(code) & hex) !== 0 || code === 58 || code === 46;
}

/** Neither the loopback address, nor code such as `ab::cd`. */
function identifiesHost(address: string): boolean {
  if (/^[0:]*:?(?:ffff:)?(?:127\.|0\.)|^[0:]+1?$/i.test(address)) return false;
  return (
    /^::ffff:\d/i.test(address) ||
    /^[0-9a-f]{3,4}:.{0,50}\d/i.test(address) ||
    address.split(':').length === 8
  );
}

/** A MAC address that begins at this place: six pairs or three groups of four. */
export function macAt(text: string, at: number, found: PatternFindings): void {
  const before = text.charCodeAt(at - 1);
  if (before === 58 || before === 45 || before === 46) return;
  const pairs = endOfRun(text, at, alphanumeric) - at;
  const expression = pairs === 2 ? mac : dottedMac;
  expression.lastIndex = at;
  if (!expression.test(text)) return;
  const end = expression.lastIndex;
  const digits = text.slice(at, end).replace(/[^0-9a-f]/gi, '');
  if (/^(.)\1+$/.test(digits) || (pairs === 4 && !/[a-f]/i.test(digits))) return;
  found.add(
    { start: at, end, kind: 'MAC_ADDRESS' },
    isDigit(text.charCodeAt(at + 2)) ? bySurroundings : byFormat,
  );
}
