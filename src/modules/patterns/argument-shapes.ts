import { isJsonObject, type Tool } from '../../module-api.ts';
import { limits } from './limits.ts';

/**
 * Describes the differences between two calls of a tool by the shape of their arguments. It mentions only names and values from
 * the tool's schema, because others may come from untrusted text.
 */
export function describeChanges(failed: unknown, worked: unknown, tool: Tool): readonly string[] {
  const [before, after] = [failed, worked].map((input) => (isJsonObject(input) ? input : {}));
  if (before === undefined || after === undefined) return [];
  const changes = declaredProperties(tool).flatMap(([name, schema]) => {
    const [had, has] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    if (!had && has) return [`give "${name}" (${describeValue(after[name], schema)})`];
    if (had && !has) return [`leave out "${name}"`];
    const [old, now] = [describeValue(before[name], schema), describeValue(after[name], schema)];
    return old === now ? [] : [`give "${name}" as ${now} and not as ${old}`];
  });
  return changes.slice(0, limits.changesMax);
}

/** Describes the arguments of a call by shape. */
export function describeArguments(input: unknown, tool: Tool): readonly string[] {
  const given = isJsonObject(input) ? input : {};
  return declaredProperties(tool)
    .filter(([name]) => Object.hasOwn(given, name))
    .map(([name, schema]) => `"${name}" as ${describeValue(given[name], schema)}`)
    .slice(0, limits.changesMax);
}

/** Skips property names that could be sentences. */
function declaredProperties({ input_schema: schema }: Tool): readonly (readonly [string, unknown])[] {
  const properties = isJsonObject(schema?.properties) ? schema.properties : {};
  return Object.entries(properties).filter(([name]) => /^[\w.$-]{1,64}$/.test(name));
}

function describeValue(value: unknown, schema: unknown): string {
  const allowed = isJsonObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
  if (typeof value === 'string' && allowed.includes(value) && /^[\w.-]{1,40}$/.test(value))
    return `"${value}"`;
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isInteger(value) ? 'a whole number' : 'a number';
    case 'string':
      return describeText(value);
    default:
      return Array.isArray(value) ? (value.length === 0 ? 'an empty list' : 'a list') : 'an object';
  }
}

const textShapes: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'an empty text'],
  [/^[a-z][a-z0-9+.-]*:\/\/\S+$/i, 'a URL'],
  [/^(?:\/|[A-Za-z]:\\|~\/)\S*$/, 'an absolute path'],
  [/^\.{0,2}[\w.-]*\/[\w./-]*$/, 'a relative path'],
  [/^[\w-]+\.[A-Za-z]\w{0,5}$/, 'a relative path'],
  [/^\d{4}-\d{2}-\d{2}T\S+$/, 'an ISO time'],
  [/^\d{4}-\d{2}-\d{2}$/, 'a date like YYYY-MM-DD'],
  [/^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/, 'a date with dots or slashes'],
  [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a UUID'],
  [/^-?\d+(?:\.\d+)?$/, 'a number in quotes'],
  [/^\s*[[{][\s\S]*[\]}]\s*$/, 'JSON in a text'],
  [/^[^\s@]+@[^\s@.]+\.[^\s@]+$/, 'an e-mail address'],
  [/\n/, 'a text of several lines'],
];

function describeText(value: string): string {
  return textShapes.find(([shape]) => shape.test(value))?.[1] ?? 'a text';
}
