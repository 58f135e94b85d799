import { isJsonObject } from '../../lib/json.ts';
import { stringOf } from '../json-values.ts';

/**
 * A schema that the provider can enforce: closes objects, and moves unsupported constraints to descriptions
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations).
 */
export function toEnforceableSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const accepted: Record<string, unknown> = {};
  const unsupported: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isEnforceable(keyword, value))
      accepted[keyword === 'oneOf' ? 'anyOf' : keyword] = convertKeyword(keyword, value);
    else if (keyword !== 'additionalProperties' && keyword !== '$schema')
      unsupported.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (schema.type === 'object' || isJsonObject(schema.properties)) accepted.additionalProperties = false;
  if (unsupported.length > 0)
    accepted.description = [stringOf(schema.description), `{${unsupported.join(', ')}}`]
      .filter(Boolean)
      .join('\n\n');
  return accepted;
}

const copiedKeywords: ReadonlySet<string> = new Set([
  '$ref',
  'type',
  'enum',
  'const',
  'description',
  'title',
  'required',
  'default',
]);
const schemaListKeywords: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);
const schemaMapKeywords: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const enforceableFormats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

function isEnforceable(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return enforceableFormats.has(value);
  if (keyword === 'minItems') return value === 0 || value === 1;
  return (
    copiedKeywords.has(keyword) ||
    schemaListKeywords.has(keyword) ||
    schemaMapKeywords.has(keyword) ||
    keyword === 'items'
  );
}

function convertKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'items') return toEnforceableSchema(value);
  if (schemaListKeywords.has(keyword) && Array.isArray(value)) return value.map(toEnforceableSchema);
  if (!schemaMapKeywords.has(keyword) || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toEnforceableSchema(inner)]));
}
