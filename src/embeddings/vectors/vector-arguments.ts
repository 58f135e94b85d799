import { limits } from '../../kernel/limits.ts';
import type { NewVector, VectorQuery } from '../../kernel/ports/vectors.ts';

// What modules may keep and ask. The errors are for those who write modules.

export function validateName(what: string, name: string): string {
  const most = limits.vectorNameCharactersMax;
  if (name.length > most)
    throw new Error(`${what} of ${name.length} characters is too long: ${most} are allowed`);
  return validateText(what, name);
}

export function validateIds(ids: readonly string[]): readonly string[] {
  const most = limits.vectorMatchesMax;
  if (ids.length > most) throw new Error(`${ids.length} vectors can't be named at once: ${most} are allowed`);
  return ids.map((id) => validateName('an id', id));
}

export function validateVector({ id, vector, data = '', ttlSeconds }: NewVector) {
  const { length } = vector.values;
  if (length < 1 || length > limits.vectorValuesMax)
    throw new Error(`a vector of ${length} values can't be kept: 1 to ${limits.vectorValuesMax} are allowed`);
  const bytes = Buffer.byteLength(data);
  if (bytes > limits.vectorDataBytesMax)
    throw new Error(
      `data of ${bytes} bytes can't be kept with a vector: ${limits.vectorDataBytesMax} are allowed; keep it in the store or the cache, and where it is here`,
    );
  if (!(ttlSeconds > 0)) throw new Error(`a vector can't be kept for ${ttlSeconds} seconds`);
  const { space } = vector;
  return {
    id: validateName('an id', id),
    space: validateName('a space', space),
    data: validateText('data', data),
  };
}

export function validateQuery({ part = '', most = 10, least = 0, deadlineMs }: VectorQuery) {
  if (!(Number.isInteger(most) && most >= 1 && most <= limits.vectorMatchesMax))
    throw new Error(`${most} vectors can't be asked for: 1 to ${limits.vectorMatchesMax} are allowed`);
  return {
    part: validateName('a part', part),
    most,
    least,
    deadlineMs: deadlineMs ?? limits.embeddingDeadlineMs,
  };
}

/** Databases take no others. */
function validateText(what: string, text: string): string {
  if (!text.isWellFormed() || text.includes('\0'))
    throw new Error(`${what} can't contain NUL or half of a character`);
  return text;
}
