import { base64, base64url, dot, endOfRun } from '../characters.ts';
import { byChecksum, byFormat, type PatternFindings } from '../pattern-findings.ts';
import { isPlaceholder } from './placeholders.ts';

/** The length of tokens in streams: with the claims and certificates that some have, a JWT takes a few thousand characters. */
export const tokenCharactersMax = 4096;

/** A JSON web token (RFC 7519) or an encrypted one (RFC 7516) that begins at this place; where it ends. */
export function jwtAt(text: string, at: number, found: PatternFindings): number | undefined {
  if (!text.startsWith('eyJ', at)) return undefined;
  const ends: number[] = [];
  for (let start = at; ends.length < 6; ) {
    const end = endOfRun(text, start, base64url);
    ends.push(end);
    if (text.charCodeAt(end) !== 46 || end === start) break;
    start = end + 1;
  }
  const [headerEnd = at, payloadEnd = at] = ends;
  // A full stop after the token.
  const parts = (ends.at(-1) ?? 0) === (ends.at(-2) ?? -1) + 1 ? ends.length - 1 : ends.length;
  const end = ends[parts - 1] ?? at;
  if ((parts !== 3 && parts !== 5) || end - at > tokenCharactersMax || payloadEnd - headerEnd < 5)
    return undefined;
  if ((parts === 5) !== isEncrypted(text.slice(at, headerEnd))) return undefined;
  found.add({ start: at, end, kind: 'TOKEN' }, byChecksum);
  return end;
}

/** Whether the header is one of an encrypted token; undefined if it isn't a header at all. */
function isEncrypted(header: string): boolean | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    return typeof fields === 'object' && fields !== null && 'alg' in fields ? 'enc' in fields : undefined;
  } catch {
    return undefined;
  }
}

/** What follows `Bearer` or `Basic` at this place; where it ends. */
export function authorizationAt(text: string, at: number, found: PatternFindings): number | undefined {
  const scheme = /^(?:bearer|basic) /i.exec(text.slice(at, at + 7))?.[0];
  if (scheme === undefined) return undefined;
  const start = at + scheme.length;
  let end = endOfRun(text, start, base64url | base64 | dot);
  while (text.charCodeAt(end - 1) === 46 || text.charCodeAt(end - 1) === 45) end--;
  if (end - start < 8 || end - start > tokenCharactersMax) return undefined;
  const token = text.slice(start, end);
  const isToken = scheme.length === 7 ? /\d/.test(token) && !isPlaceholder(token) : isUserAndPassword(token);
  if (!isToken) return undefined;
  found.add({ start, end, kind: 'TOKEN' }, byFormat);
  return end;
}

function isUserAndPassword(value: string): boolean {
  return /^[\x20-\x39\x3b-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString());
}

const telegram = /\d{8,10}:A[\w-]{34}(?![\w-])/y;
const discord = /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])/y;
const airtable = /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/y;
const mailchimp = /[0-9a-f]{32}-us\d{1,2}(?!\w)/y;
const azureClientSecret = /[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~-])/y;

/** Keys and tokens that are known by their parts. */
export function structuredSecretAt(text: string, at: number, end: number): number | undefined {
  const expression = structureOf(text, at, end);
  if (expression === undefined) return undefined;
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : undefined;
}

function structureOf(text: string, at: number, end: number): RegExp | undefined {
  const length = end - at;
  switch (text.charCodeAt(end)) {
    case 58: // :
      return length >= 8 && length <= 10 ? telegram : undefined;
    case 126: // ~
      return length === 5 || length === 3 ? azureClientSecret : undefined;
    case 45: // -
      if (length === 32) return mailchimp;
      break;
    case 46: // .
      if (length === 17 && text.startsWith('pat', at)) return airtable;
      break;
    default:
      return undefined;
  }
  const first = text.charCodeAt(at);
  return first >= 77 && first <= 79 ? discord : undefined;
}
