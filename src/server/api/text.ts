export { textSchema } from '../../kernel/input-schemas.ts';

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
