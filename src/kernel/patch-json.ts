import type { JsonObject } from './json.ts';
import { membersOf, skipSpace } from './json-scan.ts';

/** Writes top-level fields over a JSON object's own bytes: every byte that did not change stays (`undefined` removes). */
export function patchJson(bytes: Uint8Array, changes: JsonObject): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const open = text.indexOf('{');
  const { members, close } = membersOf(text, open) ?? noObject();
  const written = new Set<string>();
  const kept: string[] = [];
  let changed = false;
  let start = open + 1;
  for (const { keyStart, keyEnd, valueStart, valueEnd } of members) {
    const end = skipSpace(text, valueEnd);
    const name = keyOf(text.slice(keyStart, keyEnd));
    if (Object.hasOwn(changes, name)) {
      written.add(name);
      changed = true;
      const value = JSON.stringify(changes[name]);
      if (value !== undefined)
        kept.push(text.slice(start, valueStart) + inBytes(value) + text.slice(valueEnd, end));
    } else kept.push(text.slice(start, end));
    start = end + 1;
  }
  for (const [name, value] of Object.entries(changes)) {
    if (written.has(name) || value === undefined) continue;
    changed = true;
    kept.push(inBytes(`${JSON.stringify(name)}:${JSON.stringify(value)}`));
  }
  if (!changed) return bytes;
  return Buffer.from(`${text.slice(0, open + 1)}${kept.join(',')}${text.slice(close)}`, 'latin1');
}

/** The same for bytes whose object is known: what is only added needs no look at the rest. */
export function patchBody(bytes: Uint8Array, body: JsonObject, changes: JsonObject): Uint8Array {
  const names = Object.keys(changes);
  if (names.length === 0) return bytes;
  return names.some((name) => Object.hasOwn(body, name))
    ? patchJson(bytes, changes)
    : extended(bytes, changes);
}

function noObject(): never {
  throw new Error('patchJson was given something that is not a JSON object');
}

function keyOf(quoted: string): string {
  if (plain.test(quoted) && !quoted.includes('\\')) return quoted.slice(1, -1);
  return String(JSON.parse(Buffer.from(quoted, 'latin1').toString('utf8')));
}

/** The same text with a character for each byte. */
function inBytes(text: string): string {
  return plain.test(text) ? text : Buffer.from(text).toString('latin1');
}

const plain = /^[\x20-\x7e]*$/;

/** With these fields after its last one. */
function extended(bytes: Uint8Array, fields: JsonObject): Uint8Array {
  const end = bytes.lastIndexOf(closeBrace);
  const added = Buffer.from(`,${JSON.stringify(fields).slice(1)}`);
  return Buffer.concat([bytes.subarray(0, end), added, bytes.subarray(end + 1)]);
}

const closeBrace = 125;
