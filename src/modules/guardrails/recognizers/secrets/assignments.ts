import type { SecretKind } from '../../finding.ts';
import { classOf, digit, lower, upper } from '../characters.ts';
import { bySurroundings, type PatternFindings } from '../pattern-findings.ts';
import { isPlaceholder } from './placeholders.ts';

const nameCharactersMax = 28;
const passwordCharactersMax = 80;
const secretCharactersMin = 12;
const signatureCharactersMin = 24;
const secretCharactersMax = 400;
const cookieCharactersMax = 2000;

const passwordNames =
  /(?:pass(?:word|wd|phrase|code|wort|ord)|pwd|passwort|kennwort|(?:^|[^a-z])(?:pass|pw)|contrase[nñ]a|clave|senha|palavra[- ]passe|mot de passe|parola|wachtwoord|l[oö]senord|adgangskode|salasana|has[lł]o|heslo|jelsz[oó]|пароль|[sş]ifre|密码|密碼|口令|パスワード|비밀번호|كلمة المرور|סיסמה)$/;
const secretNames =
  /(?:secret|token|(?:api|access|secret|private|subscription|auth|signing|encryption|account|shared|master|license|service|admin|client|consumer|application|app|deploy|storage|webhook|jwt)[-_ ]?(?:access[-_ ]?|secret[-_ ]?)?key(?:[-_ ]?base)?|authorization)$/;
const sessionNames = /(?:session(?:[-_]?id)?|sess(?:id)?|(?:^|[^a-z])sid)$/;
const signatureNames = /[?&](?:sig|x-amz-signature|x-goog-signature|x-amz-security-token)$/;
const cookieNames = /(?:^|[^a-z])(?:set-)?cookie$/;
const pinNames = /(?:^|[^a-z])pin(?:[- ]?(?:code|number|nummer))?$/;
/** `the password for the server is` */
const announcedPassword =
  /(?:password|passphrase|passcode|passwort|kennwort|contraseña|senha|mot de passe|wachtwoord|password)(?: (?:for|of|to|für|zu|de|del|do|voor)[^.:;,\n]{1,40})? $/i;
const announcedSecret = /(?:token|secret|api key|access key)(?: (?:for|of|to)[^.:;,\n]{1,40})? $/i;

type Role = 'password' | 'secret' | 'session' | 'signature' | 'cookie' | 'pin';

/** What a name with these last two letters can be. */
const rolesByEnding = new Map<number, readonly Role[]>(
  Object.entries({
    password: 'rd wd pw se de rt ss na ve ha la lo zo re',
    secret: 'et en ey on se',
    session: 'on id ss',
    signature: 'ig re en',
    cookie: 'ie',
    pin: 'in de er',
  } satisfies Record<Role, string>)
    .flatMap(([role, endings]) => endings.split(' ').map((ending) => [ending, role] as const))
    .reduce((map, [ending, role]) => {
      const key = endingOf(ending.charCodeAt(0), ending.charCodeAt(1));
      return map.set(key, [...(map.get(key) ?? []), role as Role]);
    }, new Map<number, readonly Role[]>()),
);
/** Names in other scripts are passwords. */
const otherRoles: readonly Role[] = ['password'];

function endingOf(first: number, second: number): number {
  return (first | 32) * 128 + (second | 32);
}

const namesByRole: Readonly<Record<Role, RegExp>> = {
  password: passwordNames,
  secret: secretNames,
  session: sessionNames,
  signature: signatureNames,
  cookie: cookieNames,
  pin: pinNames,
};

/** The value of a name such as `password`, at the `:` or `=` between them. */
export function assignmentAround(text: string, operator: number, found: PatternFindings): void {
  if (operator + 1 >= text.length) return;
  const next = text.charCodeAt(operator + 1);
  if (next === 58 || next === 47 || (next === 61 && text.charCodeAt(operator) === 61)) return;
  const nameEnd = endOfName(text, operator);
  if (nameEnd < 2) return;
  const first = text.charCodeAt(nameEnd - 2);
  const second = text.charCodeAt(nameEnd - 1);
  const roles = first > 127 || second > 127 ? otherRoles : rolesByEnding.get(endingOf(first, second));
  if (roles === undefined) return;
  const start = startOfValue(text, operator + 1);
  if (isCode(text.charCodeAt(start))) return;
  const name = text.slice(Math.max(0, nameEnd - nameCharactersMax), nameEnd).toLowerCase();
  const role = roles.find((one) => namesByRole[one].test(name));
  const isDirect = text.charCodeAt(operator) === 61 && start === operator + 1;
  if (role === 'password') addPassword(text, start, found);
  else if (role === 'secret')
    addSecret(text, { start, kind: /(?:token|authorization)$/.test(name) ? 'TOKEN' : 'API_KEY' }, found);
  else if (role === 'cookie') addCookies(text, { start, isResponse: name.endsWith('set-cookie') }, found);
  else if (role === 'pin') addPin(text, start, found);
  else if (role !== undefined && isDirect) {
    const least = role === 'signature' ? signatureCharactersMin : secretCharactersMin;
    addSecret(text, { start, kind: 'TOKEN', least }, found);
  }
}

/** The value after `is` in `the password is …`; at the verb. */
export function announcementAround(
  text: string,
  range: { readonly start: number; readonly end: number },
  found: PatternFindings,
): void {
  const before = text.slice(Math.max(0, range.start - 70), range.start);
  const start = startOfValue(text, range.end);
  if (announcedPassword.test(before)) addPassword(text, start, found);
  else if (announcedSecret.test(before)) addSecret(text, { start, kind: 'TOKEN' }, found);
}

/** The end of a line, brackets, and variables of shells. */
function isCode(code: number): boolean {
  return (
    code === 10 ||
    code === 13 ||
    code === 123 ||
    code === 91 ||
    code === 40 ||
    code === 60 ||
    code === 36 ||
    Number.isNaN(code)
  );
}

/** Before quotes and spaces. */
function endOfName(text: string, operator: number): number {
  let end = operator;
  while (end > 0 && operator - end < 4 && isQuoteOrSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Behind spaces, quotes and the `>` of `=>`. */
function startOfValue(text: string, from: number): number {
  let at = from;
  if (text.charCodeAt(at) === 62) at++;
  while (at - from < 6 && isQuoteOrSpace(text.charCodeAt(at))) at++;
  return at;
}

function isQuoteOrSpace(code: number): boolean {
  return code === 32 || code === 34 || code === 39 || code === 96 || code === 92 || code === 9;
}

function addPassword(text: string, start: number, found: PatternFindings): void {
  const end = endOfPassword(text, start);
  const value = text.slice(start, end);
  if (value.length >= 6 && isPassword(value) && !isPlaceholder(value))
    found.add({ start, end, kind: 'PASSWORD' }, bySurroundings);
}

/** A quoted value ends at its quote; another one at a space, at `&` in a query, and before the punctuation of a sentence. */
function endOfPassword(text: string, start: number): number {
  const quote = text.charCodeAt(start - 1);
  const isQuoted = quote === 34 || quote === 39 || quote === 96;
  const most = Math.min(text.length, start + passwordCharactersMax);
  let end = start;
  while (end < most) {
    const code = text.charCodeAt(end);
    if (code <= 32 || code === 92 || (isQuoted ? code === quote : unquotedEnds.has(code))) break;
    end++;
  }
  if (!isQuoted) while (end > start && /[.,:)\]}?]/.test(text.charAt(end - 1))) end--;
  return end;
}

const unquotedEnds = new Set(Array.from('"\'`<>&;', (character) => character.charCodeAt(0)));

/** Neither a word, nor a type, nor code that reads the password from somewhere. */
function isPassword(value: string): boolean {
  if (!/\d|[^\w\s.,:;/()[\]{}'"-]/.test(value) || !/[\p{L}\d]/u.test(value)) return false;
  if (/^[\w$.?!]*[([{]|^[</~$%[({@]|=>|^\w:\\|^-+\w|::|->|\|\||&&/.test(value)) return false;
  return !/^[a-z_$][\w$]*(?:[.?!]+[a-z_$][\w$]*)+$/i.test(value) && !/^\d{1,3}(?:[.,]\d+)*%?$/.test(value);
}

function addSecret(
  text: string,
  {
    start,
    kind,
    least = secretCharactersMin,
  }: { readonly start: number; readonly kind: SecretKind; readonly least?: number },
  found: PatternFindings,
): void {
  let end = start;
  while (end - start <= secretCharactersMax && isSecretCharacter(text.charCodeAt(end))) end++;
  const after = text.charCodeAt(end);
  while (end > start && /[.:,]/.test(text.charAt(end - 1))) end--;
  const length = end - start;
  if (length < least || length > secretCharactersMax || after === 40 || after === 91) return;
  const value = text.slice(start, end);
  if (isRandom(value) && !isPlaceholder(value)) found.add({ start, end, kind }, bySurroundings);
}

/** Letters, digits and `_-./+=~%:` */
function isSecretCharacter(code: number): boolean {
  return (classOf(code) & ~64) !== 0 || code === 126 || code === 37 || code === 58;
}

/** Whether letters and digits alternate as they do in random texts, and not as in names, paths, dates and versions. */
function isRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[a-z]/i.test(value) || /:\/\/|^[./~]|^\d{4}-\d\d-\d\dT/.test(value))
    return false;
  if (value.split(/[-_./:+=%~]/).every((part) => /^(?:[a-z]*|\d*|v?\d+|[a-z]+\d{1,2})$/i.test(part)))
    return false;
  let changes = 0;
  let digits = 0;
  let previous = 0;
  for (let at = 0; at < value.length; at++) {
    const kind = classOf(value.charCodeAt(at)) & (upper | lower | digit);
    if (kind !== previous) changes++;
    if (kind === digit) digits++;
    previous = kind;
  }
  return digits >= 4 || changes * 4 >= value.length;
}

const cookieAttributes = /^(?:path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned)$/i;
const cookiePair = /([\w.-]{1,60})=([^;\s"'\\]{0,1000});? ?/y;

/** The values of cookies that identify a session. */
function addCookies(
  text: string,
  { start, isResponse }: { readonly start: number; readonly isResponse: boolean },
  found: PatternFindings,
): void {
  cookiePair.lastIndex = start;
  for (let at = start; at - start < cookieCharactersMax; at = cookiePair.lastIndex) {
    const [, name = '', value = ''] = cookiePair.exec(text) ?? [];
    if (name === '') return;
    const valueStart = at + name.length + 1;
    if (
      !cookieAttributes.test(name) &&
      value.length >= 10 &&
      /\d/.test(value) &&
      /[a-z]/i.test(value) &&
      !isPlaceholder(value)
    )
      found.add({ start: valueStart, end: valueStart + value.length, kind: 'TOKEN' }, bySurroundings);
    if (isResponse) return;
  }
}

function addPin(text: string, start: number, found: PatternFindings): void {
  const value = /^\d{4,8}(?![\w.,-]\w|\w)/.exec(text.slice(start, start + 10));
  if (value !== null) found.add({ start, end: start + value[0].length, kind: 'PASSWORD' }, bySurroundings);
}
