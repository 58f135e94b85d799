import { classOf, letter } from '../characters.ts';
import { byFormat, type PatternFindings } from '../pattern-findings.ts';
import { isPlaceholder } from './placeholders.ts';

const userInfoCharactersMax = 200;
const hostCharactersMax = 400;

/** Addresses whose path is the secret. */
const webhooks =
  /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w+/]{30,80}|(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,20}\/[\w-]{30,90}|[\w-]{1,60}\.webhook\.office\.com\/webhookb2\/[\w@/-]{60,200})/y;

/** A URL with a password, or a webhook; at the colon of `://`. */
export function credentialUrlAround(text: string, colon: number, found: PatternFindings): number | undefined {
  let start = colon;
  while (colon - start < 30 && isSchemeCharacter(text.charCodeAt(start - 1))) start--;
  const rest = colon + 3;
  if (start === colon || (classOf(text.charCodeAt(start)) & letter) === 0) return undefined;
  webhooks.lastIndex = rest;
  if (webhooks.test(text)) {
    found.add({ start, end: webhooks.lastIndex, kind: 'TOKEN' }, byFormat);
    return webhooks.lastIndex;
  }
  const at = endOfUserInfo(text, rest);
  if (at === undefined) return undefined;
  const separator = text.indexOf(':', rest);
  const password = text.slice(separator + 1, at);
  if (
    separator === -1 ||
    separator >= at ||
    password === '' ||
    isPlaceholder(password) ||
    isVariable(password)
  )
    return undefined;
  let end = at + 1;
  while (end - at < hostCharactersMax && isHostCharacter(text.charCodeAt(end))) end++;
  while (/[.,;:!?)'\]]/.test(text.charAt(end - 1))) end--;
  if (end === at + 1) return undefined;
  found.add({ start, end, kind: 'CONNECTION_STRING' }, byFormat);
  return end;
}

function isSchemeCharacter(code: number): boolean {
  return (
    (classOf(code) & letter) !== 0 || (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46
  );
}

/** The `@` before the host. A password may have further ones, or a slash, although it should escape them. */
function endOfUserInfo(text: string, start: number): number | undefined {
  let last: number | undefined;
  let hasPassword = false;
  for (let at = start; at - start < userInfoCharactersMax; at++) {
    const code = text.charCodeAt(at);
    if (code === 58) hasPassword = true;
    if (!isHostCharacter(code) || code === 63 || (code === 47 && (!hasPassword || last !== undefined))) break;
    if (code === 64) last = at;
  }
  return last;
}

function isHostCharacter(code: number): boolean {
  return (
    code > 32 &&
    code !== 34 &&
    code !== 39 &&
    code !== 60 &&
    code !== 62 &&
    code !== 92 &&
    code !== 96 &&
    !Number.isNaN(code)
  );
}

/** `$PASSWORD`, `{password}`, `%(password)s`, `password`, `***` */
function isVariable(password: string): boolean {
  return /^(?:\$|\{|%\(|\*|#\{|password$|pass$|pwd$|secret$|pw$)/i.test(password);
}
