import { z } from 'zod';

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
