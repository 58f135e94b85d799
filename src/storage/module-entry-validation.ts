import { limits as kernelLimits } from '../kernel/limits.ts';
import type { StoreListOptions } from '../kernel/ports/module-store.ts';
import { limits } from './limits.ts';

// What modules may store, the same in every kind of store. The errors address module authors.

/** The name of a module or a scope. */
export function validateStoreName(name: string): string {
  return validateNonEmpty('the name of a module or a scope', name, limits.moduleStoreNameCharactersMax);
}

export function validateEntryKey(key: string): string {
  return validateNonEmpty('a key', key, limits.moduleKeyCharactersMax);
}

/** JSON preserves every character: it can escape NUL and lone surrogates. */
export function serializeEntryValue(value: unknown): string {
  const json = toJson(value);
  const bytes = Buffer.byteLength(json);
  if (bytes > limits.moduleValueBytesMax)
    throw new Error(
      `a value of ${bytes} bytes is too large to store: the limit is ${limits.moduleValueBytesMax}; split it across several keys`,
    );
  return json;
}

/** 0 if the key must not exist; undefined if any version will do. */
export function validateEntryVersion(version: number | undefined): number | undefined {
  if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0))
    throw new Error(
      `${version} is not a version: it must be a non-negative integer (0: the key must not exist)`,
    );
  return version;
}

/** An empty string stands for no bound. */
export function resolveListOptions({
  prefix = '',
  after = '',
  limit,
}: StoreListOptions): ResolvedListOptions {
  const most = kernelLimits.modulePageMax;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= most))
    throw new Error(`limit ${limit} is out of range: it must be an integer from 1 to ${most}`);
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
    `the store of module "${module}" is full (${limits.moduleEntriesMax} entries): delete some before adding others`,
  );
}

export function toJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new Error("a value can't be stored because it can't be serialized as JSON", { cause });
  }
  if (json === undefined) throw new Error(`a value of type ${typeof value} can't be stored as JSON`);
  return json;
}

export function validateNonEmpty(label: string, name: string, charactersMax: number): string {
  if (name === '') throw new Error(`${label} can't be empty`);
  return validateText(label, name, charactersMax);
}

/** Throws instead of replacing invalid characters: two different keys could become the same. */
export function validateText(label: string, name: string, charactersMax: number): string {
  if (name.length > charactersMax)
    throw new Error(`${label} of ${name.length} characters is too long: the limit is ${charactersMax}`);
  if (!name.isWellFormed() || name.includes('\0'))
    throw new Error(`${label} can't contain NUL or a lone surrogate: ${JSON.stringify(name)}`);
  return name;
}
