import { limits } from '../kernel/limits.ts';
import type { StoreListOptions } from '../kernel/ports/module-store.ts';

// What modules may store, alike in every home. The errors are for those who write modules.

/** The name of a module or of a tenant. */
export function validateStoreName(name: string): string {
  return validateNonEmpty('the name of a module or a scope', name, limits.moduleStoreNameCharactersMax);
}

export function validateEntryKey(key: string): string {
  return validateNonEmpty('a key', key, limits.moduleKeyCharactersMax);
}

/** Written so that every character survives: JSON has a way to write NUL and half characters. */
export function serializeEntryValue(value: unknown): string {
  const json = toJson(value);
  const bytes = Buffer.byteLength(json);
  if (bytes > limits.moduleValueBytesMax)
    throw new Error(
      `a value of ${bytes} bytes can't be stored: ${limits.moduleValueBytesMax} are allowed; divide it among several keys`,
    );
  return json;
}

/** Zero where there must be none yet; undefined where it doesn't matter. */
export function validateEntryVersion(version: number | undefined): number | undefined {
  if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0))
    throw new Error(`${version} is no version: those are whole numbers, and 0 where nothing is stored`);
  return version;
}

/** With an empty text where a side is open. */
export function resolveListOptions({
  prefix = '',
  after = '',
  limit,
}: StoreListOptions): ResolvedListOptions {
  const most = limits.modulePageMax;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= most))
    throw new Error(`a page of ${limit} entries can't be read: 1 to ${most} are allowed`);
  return {
    prefix: validateText('a prefix', prefix, limits.moduleKeyCharactersMax),
    after: validateText('a key', after, limits.moduleKeyCharactersMax),
    limit: limit ?? most,
  };
}

interface ResolvedListOptions {
  readonly prefix: string;
  readonly after: string;
  readonly limit: number;
}

export function storeFullError(module: string): Error {
  return new Error(
    `the store of module "${module}" is full: it has ${limits.moduleEntriesMax} entries; delete some before adding others`,
  );
}

function toJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new Error("a value that can't be written as JSON can't be stored", { cause });
  }
  if (json === undefined) throw new Error(`JSON has no ${typeof value}, so it can't be stored`);
  return json;
}

function validateNonEmpty(what: string, name: string, charactersMax: number): string {
  if (name === '') throw new Error(`${what} can't be empty`);
  return validateText(what, name, charactersMax);
}

/** Refused rather than mended: two keys that are mended alike would be one. */
function validateText(what: string, name: string, charactersMax: number): string {
  if (name.length > charactersMax)
    throw new Error(`${what} of ${name.length} characters is too long: ${charactersMax} are allowed`);
  if (!name.isWellFormed() || name.includes('\0'))
    throw new Error(`${what} can't contain NUL or half of a character: ${JSON.stringify(name)}`);
  return name;
}
