import { isJsonObject } from '../../../../src/lib/json.ts';

/** What a schema asks for, without what strict modes don't take or insist on: names and types, all the way down. */
export function outlineOf(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (named.has(keyword) && isJsonObject(value))
      kept[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, outlineOf(each)]),
      );
    else if (nested.has(keyword))
      kept[keyword === 'oneOf' ? 'anyOf' : keyword] = Array.isArray(value)
        ? value.map(outlineOf)
        : outlineOf(value);
    else if (plain.has(keyword)) kept[keyword] = value;
  }
  return kept;
}

const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const nested: ReadonlySet<string> = new Set(['items', 'anyOf', 'allOf', 'oneOf']);
const plain: ReadonlySet<string> = new Set(['type', 'enum', 'const', '$ref']);
