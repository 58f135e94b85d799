import { z } from 'zod';

/** How many of a list a page has where nobody says it. */
export const defaultPageLimit = 50;

/** The field of a query by which a client says how many it wants. */
export function pageLimitSchema(most: number) {
  return z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(most, `must be ${most} or less`)
    .optional()
    .describe(`How many at most; ${defaultPageLimit} where it is left out`);
}
