import { z } from 'zod';

/** A string whose length is limited in Unicode characters, as in JSON Schema, not in UTF-16 units. */
export function textSchema({ min = 0, max }: { readonly min?: number; readonly max: number }): z.ZodString {
  const length = min === 0 ? { maxLength: max } : { minLength: min, maxLength: max };
  const bounds = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return z
    .string('must be a string')
    .refine((value) => hasLengthWithin(value, min, max), `must have ${bounds} characters`)
    .meta(length);
}

function hasLengthWithin(value: string, min: number, max: number): boolean {
  // A character has at most two UTF-16 units, so huge strings need not be walked.
  if (value.length > 2 * max) return false;
  const characters = [...value].length;
  return characters >= min && characters <= max;
}

export const defaultPageLimit = 50;

/** The query parameter for the page size. */
export function pageLimitSchema(max: number) {
  return z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(max, `must be ${max} or less`)
    .optional()
    .describe(`The maximum number of entries; ${defaultPageLimit} by default`);
}
