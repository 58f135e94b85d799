import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';
import { type AttributePath, parsePath } from './filter.ts';
import { badRequest } from './scim-error.ts';

/** A change of one attribute. */
export interface AttributeChange extends AttributePath {
  readonly op: 'add' | 'replace' | 'remove';
  readonly value: unknown;
}

/**
 * The changes of a PATCH request (RFC 7644, 3.5.2), one for each attribute. Entra ID writes operations with capitals, and both it and
 * Okta send objects of attributes without a path.
 */
export function operationsOf(body: JsonObject): readonly AttributeChange[] {
  const operations = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1];
  if (!Array.isArray(operations) || operations.length === 0)
    throw badRequest('invalidSyntax', 'Operations: must be a list of operations');
  if (operations.length > limits.scimOperationsMax)
    throw badRequest('tooMany', `Operations: must be at most ${limits.scimOperationsMax}`);
  return operations.flatMap((operation) => changesOf(operation));
}

/** The attributes of a whole resource, as changes. */
export function attributesOf(body: JsonObject): readonly AttributeChange[] {
  return changesOf({ op: 'replace', value: body });
}

function changesOf(operation: unknown): readonly AttributeChange[] {
  if (!isJsonObject(operation)) throw badRequest('invalidSyntax', 'Operations: each must be an object');
  const op = opOf(operation.op);
  const { path, value } = operation;
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw badRequest('invalidPath', 'path: must be a text');
    return [{ ...parsePath(path), op, value }];
  }
  if (op === 'remove') throw badRequest('noTarget', 'path: is needed to remove something');
  if (!isJsonObject(value))
    throw badRequest('invalidValue', 'value: must be an object of attributes, since there is no path');
  return Object.entries(value)
    .filter(([name]) => name.toLowerCase() !== 'schemas')
    .map(([name, one]) => ({ ...parsePath(name), op, value: one }));
}

function opOf(value: unknown): AttributeChange['op'] {
  const op = typeof value === 'string' ? value.toLowerCase() : '';
  if (op === 'add' || op === 'replace' || op === 'remove') return op;
  throw badRequest('invalidSyntax', 'op: must be add, replace or remove');
}

/** A text; null removes it. Entra ID sends booleans as texts elsewhere, but texts always as texts. */
export function textOf({ op, value }: AttributeChange, name: string): string | null {
  if (op === 'remove' || value === null || value === undefined) return null;
  if (typeof value !== 'string') throw badRequest('invalidValue', `${name}: must be a text`);
  const text = value.trim().normalize('NFC');
  if (text.length > limits.scimTextCharactersMax)
    throw badRequest('invalidValue', `${name}: must have at most ${limits.scimTextCharactersMax} characters`);
  return text === '' ? null : text;
}

/** Entra ID sends `"False"`. */
export function booleanOf(value: unknown, name: string): boolean {
  const text = String(value).toLowerCase();
  if ((typeof value === 'boolean' || typeof value === 'string') && (text === 'true' || text === 'false'))
    return text === 'true';
  throw badRequest('invalidValue', `${name}: must be true or false`);
}
