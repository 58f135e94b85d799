import { z } from 'zod';
import { invalidFieldError, issuesError, unknownFieldsError } from '../../kernel/input-validation.ts';

export { invalidFieldError } from '../../kernel/input-validation.ts';

/** Parses the value; an error names the field. */
export function parseWithSchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (!read.success) throw issuesError(read.error.issues);
  return read.data;
}

/** Parses the query parameters in `shape`; each may occur once. */
export function parseQuery<Shape extends z.ZodRawShape>(
  shape: Shape,
  query: string,
): z.output<z.ZodObject<Shape>> {
  return parseWithSchema(z.object(shape), queryValues(shape, query));
}

/** The query parameters by name; each of `known` may occur once. */
export function queryValues(known: object, query: string): Readonly<Record<string, string>> {
  const sent = new URLSearchParams(query);
  for (const name of Object.keys(known))
    if (sent.getAll(name).length > 1) throw invalidFieldError('is given more than once', name);
  return Object.fromEntries(sent);
}

/** Rejects unknown query parameters: a misspelled one would silently change the result. */
export function checkQueryNames(known: object, query: string): void {
  if (query === '') return;
  const names = new Set(new URLSearchParams(query).keys());
  const unknown = [...names].filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw unknownFieldsError(unknown, 'query parameters');
}
