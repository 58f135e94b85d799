import { limits } from './limits.ts';
import type { Collection, FieldColumns } from './ports/collections.ts';

/** Declares a collection of entries in the stores of a module. Throws if the declaration is wrong. */
export function defineCollection<Value = unknown, const Fields extends FieldColumns = FieldColumns>(
  collection: Collection<Value, Fields>,
): Collection<Value, Fields> {
  const problem = problemOf(collection);
  if (problem !== undefined) throw new Error(`collection "${collection.name}": ${problem}`);
  return collection;
}

function problemOf<Value, Fields extends FieldColumns>(
  collection: Collection<Value, Fields>,
): string | undefined {
  const { name, fields, unique, entriesMax, lifeSeconds, bytesMax, valueBytesMax } = collection;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) return 'the name must be kebab-case, up to 64 characters';
  const columns = Object.values(fields);
  if (new Set(columns).size < columns.length) return 'two fields have the same column';
  if ('key' in fields || 'createdAt' in fields) return 'a field must not be named key or createdAt';
  const unknown = unique?.find((field) => !Object.hasOwn(fields, field));
  if (unknown !== undefined) return `unique: there is no field "${unknown}"`;
  if (entriesMax === undefined && (lifeSeconds === undefined || unique !== undefined))
    return `set entriesMax${unique === undefined ? ' or lifeSeconds' : ''}`;
  const bounds = { entriesMax, lifeSeconds, bytesMax, valueBytesMax };
  for (const [bound, value] of Object.entries(bounds))
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      return `${bound} must be a whole number above 0`;
  if (entriesMax !== undefined && entriesMax > limits.collectionEntriesMax)
    return `entriesMax must be at most ${limits.collectionEntriesMax}`;
  if (valueBytesMax !== undefined && valueBytesMax > limits.collectionValueBytesMax)
    return `valueBytesMax must be at most ${limits.collectionValueBytesMax}`;
  return undefined;
}
