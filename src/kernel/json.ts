import { isAscii, isUtf8 } from 'node:buffer';
import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';

export type JsonObject = { readonly [field: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a request body, refusing what two parsers could read in two ways: duplicate keys, broken UTF-8, depth. */
export function parseBody(bytes: Uint8Array): JsonObject {
  const text = textOf(bytes);
  const pairs = countPairs(text);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('invalid_json', `the body is not JSON: ${why.slice(0, 200)}`, { cause });
  }
  if (!isJsonObject(body)) throw new GatewayError('invalid_json', 'the body must be a JSON object');
  if (countKeys(body) !== pairs)
    throw new GatewayError('invalid_json', 'the body has an object with a duplicate key');
  return body;
}

/** Most bodies are plain ASCII, which is read at the speed of a copy. */
function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString('latin1');
  if (!isUtf8(buffer)) throw new GatewayError('invalid_json', 'the body is not valid UTF-8');
  return buffer.toString('utf8');
}

/** Counts the colons outside strings, which is the number of key-value pairs as written. */
function countPairs(text: string): number {
  let pairs = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = closingQuote(text, at);
        break;
      case colon:
        pairs++;
        break;
      case openBrace:
      case openBracket:
        if (++depth > limits.jsonDepthMax)
          throw new GatewayError('invalid_json', `the body is nested more than ${limits.jsonDepthMax} deep`);
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
    }
  }
  return pairs;
}

/** Counts the keys that survived parsing: fewer than were written means that one was there twice. */
function countKeys(value: object): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += countKeys(item);
  } else if (isJsonObject(value)) {
    for (const name in value) {
      keys++;
      const inner = value[name];
      if (typeof inner === 'object' && inner !== null) keys += countKeys(inner);
    }
  }
  return keys;
}

/** Writes top-level fields over a JSON object's own text: every byte that did not change stays (`undefined` removes). */
export function patchJson(bytes: Uint8Array, changes: JsonObject): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const { fields, end } = topLevelFields(text);
  const written = new Set<string>();
  const kept: string[] = [];
  let changed = false;
  for (const field of fields) {
    if (!Object.hasOwn(changes, field.name)) {
      kept.push(text.slice(field.start, field.end));
      continue;
    }
    written.add(field.name);
    changed = true;
    const value = JSON.stringify(changes[field.name]);
    if (value === undefined) continue;
    const old = text.slice(field.valueStart, field.end);
    kept.push(text.slice(field.start, field.valueStart) + old.replace(old.trim(), () => value));
  }
  for (const [name, value] of Object.entries(changes)) {
    if (written.has(name) || value === undefined) continue;
    changed = true;
    kept.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  if (!changed) return bytes;
  const open = text.indexOf('{');
  return Buffer.from(`${text.slice(0, open + 1)}${kept.join(',')}${text.slice(end)}`);
}

/** The same for bytes whose object is known: what is only added needs no look at the rest. */
export function patchBody(bytes: Uint8Array, body: JsonObject, changes: JsonObject): Uint8Array {
  const names = Object.keys(changes);
  if (names.length === 0) return bytes;
  return names.some((name) => Object.hasOwn(body, name))
    ? patchJson(bytes, changes)
    : extended(bytes, changes);
}

/** With these fields after its last one. */
function extended(bytes: Uint8Array, fields: JsonObject): Uint8Array {
  const end = bytes.lastIndexOf(closeBrace);
  const added = Buffer.from(`,${JSON.stringify(fields).slice(1)}`);
  return Buffer.concat([bytes.subarray(0, end), added, bytes.subarray(end + 1)]);
}

interface FieldSpan {
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

function topLevelFields(text: string): { fields: readonly FieldSpan[]; end: number } {
  const fields: FieldSpan[] = [];
  let depth = 0;
  let start = text.indexOf('{') + 1;
  let name: string | undefined;
  let valueStart = 0;
  for (let at = start - 1; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const close = closingQuote(text, at);
        if (depth === 1 && name === undefined) name = String(JSON.parse(text.slice(at, close + 1)));
        at = close;
        break;
      }
      case colon:
        if (depth === 1) valueStart = at + 1;
        break;
      case openBrace:
      case openBracket:
        depth++;
        break;
      case closeBrace:
      case closeBracket:
        if (--depth > 0) break;
        if (name !== undefined) fields.push({ name, start, valueStart, end: at });
        return { fields, end: at };
      case comma:
        if (depth > 1 || name === undefined) break;
        fields.push({ name, start, valueStart, end: at });
        name = undefined;
        start = at + 1;
        break;
    }
  }
  throw new Error('patchJson was given something that is not a JSON object');
}

function closingQuote(text: string, open: number): number {
  let at = open;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
}

declare global {
  /** Not in TypeScript's own declarations yet. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
  }
}

const longNumber = /\d{16}/;

/** The body that these bytes hold, with all digits: what was read of it may be written in another format. */
export function exactBody(body: JsonObject, bytes: Uint8Array): JsonObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!longNumber.test(buffer.toString('latin1'))) return body;
  const exact = parseExact(buffer.toString('utf8'));
  return isJsonObject(exact) ? exact : body;
}

/** JSON in which integers too long for a number keep all their digits when they are written again. */
export function parseExact(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    source !== undefined && longInteger.test(source) && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

const longInteger = /^-?\d{16,}$/;

/** The same text for values that differ only in the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const inner = value[key];
    if (inner !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(inner)}`);
  }
  return `{${parts.join(',')}}`;
}

const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
