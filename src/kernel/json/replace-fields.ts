import type { LazyJsonObject } from './lazy-json-object.ts';

/** The new JSON of fields by name; undefined removes a field. */
export type FieldChanges = ReadonlyMap<string, Uint8Array | undefined>;

/** Replaces, removes and adds fields of a JSON object. Other fields keep their bytes, and all that stay their order. */
export function replaceFields(object: LazyJsonObject, changes: FieldChanges): Buffer {
  const fields: Uint8Array[] = [];
  const add = (name: string, value: Uint8Array) =>
    fields.push(fields.length === 0 ? openBrace : comma, Buffer.from(`${JSON.stringify(name)}:`), value);
  const added = new Map(changes);
  for (const { name, valueStart, valueEnd } of object.members()) {
    added.delete(name);
    const value = changes.has(name) ? changes.get(name) : object.bytes.subarray(valueStart, valueEnd);
    if (value !== undefined) add(name, value);
  }
  for (const [name, value] of added) if (value !== undefined) add(name, value);
  return Buffer.concat(fields.length === 0 ? [openBrace, closeBrace] : [...fields, closeBrace]);
}

const openBrace = Buffer.from('{');
const closeBrace = Buffer.from('}');
const comma = Buffer.from(',');
