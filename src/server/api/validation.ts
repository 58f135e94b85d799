import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';

/** The value as the schema has it; an error names the field. */
export function parseWithSchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  if (unknown.length > 0) throw unknownFieldsError(unknown);
  const [issue] = issues;
  const param = issue?.path.join('.') ?? '';
  throw invalidFieldError(issue?.message ?? 'is wrong', param);
}

/** What the query says of these names. */
export function parseQuery<Shape extends z.ZodRawShape>(
  shape: Shape,
  query: string,
): z.output<z.ZodObject<Shape>> {
  const said = new URLSearchParams(query);
  for (const name of Object.keys(shape))
    if (said.getAll(name).length > 1) throw invalidFieldError('is there more than once', name);
  return parseWithSchema(z.object(shape), Object.fromEntries(said));
}

/** Refuses names that the query has and the route has not: a misspelled one would change what is done. */
export function checkQueryNames(known: object, query: string): void {
  if (query === '') return;
  const names = new Set(new URLSearchParams(query).keys());
  const unknown = [...names].filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw unknownFieldsError(unknown, 'query parameters');
}

function unknownFieldsError(names: readonly string[], what = 'fields'): GatewayError {
  const told = names.slice(0, limits.reportedFieldsMax).map((name) => `"${truncateName(name)}"`);
  const more = names.length > told.length ? ` and ${names.length - told.length} more` : '';
  return new GatewayError('invalid_request', `unknown ${what}: ${told.join(', ')}${more}`, {
    param: truncateName(names[0] ?? ''),
  });
}

/** An error that names the field, or what is the matter with all of it. */
export function invalidFieldError(what: string, param: string): GatewayError {
  const name = truncateName(param);
  return new GatewayError('invalid_request', name === '' ? what : `${name}: ${what}`, {
    ...(name !== '' && { param: name }),
  });
}

/** Callers choose names, and must not choose how long an error is, nor send half a character back. */
function truncateName(name: string): string {
  return name.slice(0, limits.reportedFieldCharacters).toWellFormed();
}
