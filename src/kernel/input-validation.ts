import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';
import type { SchemaIssue, StandardSchema } from './standard-schema.ts';

/** Parses the input of a client; an error names the field. */
export async function parseInput<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues !== undefined) throw issuesError(result.issues);
  return result.value;
}

/** The error for the first problem, or for all unknown fields. */
export function issuesError(issues: readonly SchemaIssue[]): GatewayError {
  const unknown = issues.flatMap(unknownFields);
  if (unknown.length > 0) return unknownFieldsError(unknown);
  const [issue] = issues;
  return invalidFieldError(issue?.message ?? 'is invalid', pathOf(issue).join('.'));
}

/** With their paths, such as `variables.name.type`. Zod lists those of one object in one issue. */
function unknownFields(issue: SchemaIssue): readonly string[] {
  if (!('keys' in issue && isNames(issue.keys))) return [];
  const path = pathOf(issue);
  return issue.keys.map((key) => [...path, key].join('.'));
}

function pathOf(issue: SchemaIssue | undefined): readonly string[] {
  return (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
}

export function unknownFieldsError(names: readonly string[], noun = 'fields'): GatewayError {
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

function isNames(keys: unknown): keys is readonly string[] {
  return Array.isArray(keys) && keys.every((key) => typeof key === 'string');
}

/** Callers choose names: bounds the length of the error and repairs lone surrogates. */
function truncateName(name: string): string {
  return name.slice(0, limits.reportedFieldCharacters).toWellFormed();
}
