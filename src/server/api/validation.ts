import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { limits } from '../limits.ts';

/** Parses the value; an error names the field. */
export function parseWithSchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  if (unknown.length > 0) throw unknownFieldsError(unknown);
  const [issue] = issues;
  const param = issue?.path.join('.') ?? '';
  throw invalidFieldError(issue?.message ?? 'is invalid', param);
}

/** Parses the query parameters in `shape`; each may occur once. */
export function parseQuery<Shape extends z.ZodRawShape>(
  shape: Shape,
  query: string,
): z.output<z.ZodObject<Shape>> {
  const sent = new URLSearchParams(query);
  for (const name of Object.keys(shape))
    if (sent.getAll(name).length > 1) throw invalidFieldError('is given more than once', name);
  return parseWithSchema(z.object(shape), Object.fromEntries(sent));
}

/** Rejects unknown query parameters: a misspelled one would silently change the result. */
export function checkQueryNames(known: object, query: string): void {
  if (query === '') return;
  const names = new Set(new URLSearchParams(query).keys());
  const unknown = [...names].filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw unknownFieldsError(unknown, 'query parameters');
}

function unknownFieldsError(names: readonly string[], noun = 'fields'): GatewayError {
  const listed = names.slice(0, limits.reportedFieldsMax).map((name) => `"${truncateName(name)}"`);
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : '';
  return new GatewayError('invalid_request', `unknown ${noun}: ${listed.join(', ')}${more}`, {
    param: truncateName(names[0] ?? ''),
  });
}

/** An error about a field, or about the whole input if `param` is empty. */
export function invalidFieldError(problem: string, param: string): GatewayError {
  const name = truncateName(param);
  return new GatewayError('invalid_request', name === '' ? problem : `${name}: ${problem}`, {
    ...(name !== '' && { param: name }),
  });
}

/** Callers choose names: bounds the length of the error and repairs lone surrogates. */
function truncateName(name: string): string {
  return name.slice(0, kernelLimits.reportedFieldCharacters).toWellFormed();
}
