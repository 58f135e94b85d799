import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { NewVector, VectorQuery } from '../../kernel/ports/vectors.ts';
import { limits } from '../limits.ts';

// Checks the arguments of modules. Module authors read these errors.

export function validateName(what: string, name: string): string {
  const most = limits.vectorNameCharactersMax;
  if (name.length > most) throw new Error(`${what} may have at most ${most} characters, got ${name.length}`);
  return validateText(what, name);
}

export function validateIds(ids: readonly string[]): readonly string[] {
  const most = limits.vectorMatchesMax;
  if (ids.length > most) throw new Error(`too many ids: ${ids.length}, at most ${most} are allowed`);
  return ids.map((id) => validateName('an id', id));
}

export function validateVector({ id, vector, data = '', ttlSeconds }: NewVector) {
  const { length } = vector.values;
  if (length < 1 || length > kernelLimits.vectorValuesMax)
    throw new Error(`a vector must have 1 to ${kernelLimits.vectorValuesMax} values, got ${length}`);
  const bytes = Buffer.byteLength(data);
  if (bytes > limits.vectorDataBytesMax)
    throw new Error(
      `the data of a vector may have at most ${limits.vectorDataBytesMax} bytes, got ${bytes}; put it in the store or the cache, and its key here`,
    );
  if (!(ttlSeconds > 0)) throw new Error(`ttlSeconds must be positive, got ${ttlSeconds}`);
  const { space } = vector;
  return {
    id: validateName('an id', id),
    space: validateName('a space', space),
    data: validateText('data', data),
  };
}

export function validateQuery({ part = '', most = 10, least = 0, deadlineMs }: VectorQuery) {
  if (!(Number.isInteger(most) && most >= 1 && most <= limits.vectorMatchesMax))
    throw new Error(`most must be 1 to ${limits.vectorMatchesMax}, got ${most}`);
  return {
    part: validateName('a part', part),
    most,
    least,
    deadlineMs: deadlineMs ?? limits.embeddingDeadlineMs,
  };
}

/** Databases reject other text. */
function validateText(what: string, text: string): string {
  if (!text.isWellFormed() || text.includes('\0'))
    throw new Error(`${what} can't contain NUL or an unpaired surrogate`);
  return text;
}
