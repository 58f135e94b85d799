import { z } from 'zod';

/** A string bounded in Unicode characters, as JSON Schema counts, and not in the units of a JavaScript string. */
export function textSchema({ min = 0, max }: { readonly min?: number; readonly max: number }): z.ZodString {
  const length = min === 0 ? { maxLength: max } : { minLength: min, maxLength: max };
  const bounds = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return z
    .string('must be a string')
    .refine((value) => hasLengthWithin(value, min, max), `must have ${bounds} characters`)
    .meta(length);
}

function hasLengthWithin(value: string, min: number, max: number): boolean {
  // A character has two units at most, so that a huge string is judged without being walked.
  if (value.length > 2 * max) return false;
  const characters = [...value].length;
  return characters >= min && characters <= max;
}

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
