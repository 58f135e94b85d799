import { textSchema } from '../../kernel/input-schemas.ts';

export { textSchema } from '../../kernel/input-schemas.ts';

/** A name that people read in lists. */
export function shortNameSchema(max: number) {
  return textSchema({ min: 1, max })
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must have no control characters')
    .refine((text) => text.trim() === text, 'must not begin or end with a blank');
}

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
