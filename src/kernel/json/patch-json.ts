import type { JsonObject } from '../../lib/json.ts';
import type { LazyJsonObject } from './lazy-json-object.ts';

/** Replaces fields in the bytes of a JSON object and keeps all other bytes; `undefined` removes a field. */
export function patchJson(lazyJsonObject: LazyJsonObject, changes: JsonObject): Uint8Array {
  const { bytes } = lazyJsonObject;
  const names = Object.keys(changes);
  const [there, missing] = [
    names.filter((name) => lazyJsonObject.has(name)),
    names.filter((name) => !lazyJsonObject.has(name)),
  ];
  const added = formatFields(changes, missing);
  if (there.length === 0) return added === '' ? bytes : appendFields(bytes, added);
  const pieces: Uint8Array[] = [];
  let start = bytes.indexOf(openBrace) + 1;
  const head = bytes.subarray(0, start);
  for (const { name, valueStart, valueEnd } of lazyJsonObject.members()) {
    const end = separatorAfter(bytes, valueEnd);
    if (!there.includes(name)) pieces.push(bytes.subarray(start, end));
    else if (changes[name] !== undefined)
      pieces.push(
        Buffer.concat([
          bytes.subarray(start, valueStart),
          ...formatValue(lazyJsonObject, changes[name]),
          bytes.subarray(valueEnd, end),
        ]),
      );
    start = end + 1;
  }
  if (added !== '') pieces.push(Buffer.from(added));
  const parts = pieces.flatMap((field, at) => (at === 0 ? [field] : [comma, field]));
  return Buffer.concat([head, ...parts, bytes.subarray(start - 1)]);
}

/** The items of a list that are the object's own keep their bytes. */
function formatValue(lazyJsonObject: LazyJsonObject, value: unknown): readonly Uint8Array[] {
  if (!Array.isArray(value) || value.length === 0) return [Buffer.from(JSON.stringify(value))];
  const parts: Uint8Array[] = [];
  const written: unknown[] = [];
  const write = () => {
    if (written.length > 0) parts.push(comma, Buffer.from(JSON.stringify(written).slice(1, -1)));
    written.length = 0;
  };
  for (let at = 0; at < value.length; ) {
    const kept = lazyJsonObject.findItems(value, at);
    if (kept === undefined) written.push(value[at]);
    else {
      write();
      parts.push(comma, kept.bytes);
    }
    at += kept?.count ?? 1;
  }
  write();
  return [openBracket, ...parts.slice(1), closeBracket];
}

/** The same for a non-empty object that has none of these fields. */
export function addFields(bytes: Uint8Array, fields: JsonObject): Uint8Array {
  const added = formatFields(fields, Object.keys(fields));
  return added === '' ? bytes : appendFields(bytes, added);
}

function formatFields(changes: JsonObject, names: readonly string[]): string {
  const written = names.filter((name) => changes[name] !== undefined);
  return written.map((name) => `${JSON.stringify(name)}:${JSON.stringify(changes[name])}`).join(',');
}

function appendFields(bytes: Uint8Array, added: string): Uint8Array {
  const end = bytes.lastIndexOf(closeBrace);
  const separator = isEmpty(bytes, end) ? '' : ',';
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(separator + added), bytes.subarray(end)]);
}

/** Whether only whitespace separates this brace from the one before it. */
function isEmpty(bytes: Uint8Array, close: number): boolean {
  let before = close - 1;
  while ((bytes[before] ?? 0) <= space) before--;
  return bytes[before] === openBrace;
}

/** The comma or brace after a field. */
function separatorAfter(bytes: Uint8Array, valueEnd: number): number {
  let at = valueEnd;
  while ((bytes[at] ?? closeBrace) <= space) at++;
  return at;
}

const comma = Buffer.from(',');
const openBracket = Buffer.from('[');
const closeBracket = Buffer.from(']');
const space = 32;
const openBrace = 123;
const closeBrace = 125;
