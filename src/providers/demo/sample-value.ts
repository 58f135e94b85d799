import { isJsonObject } from '../../lib/json.ts';

const depthMax = 8;

/** A value that fits a JSON schema well enough to show what a tool call looks like. */
export function sampleValue(schema: unknown, depth = 0): unknown {
  if (!isJsonObject(schema) || depth > depthMax) return {};
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return 'demo';
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [sampleValue(schema.items, depth + 1)];
    default:
      return sampleObject(schema, depth);
  }
}

function sampleObject(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required)
    ? schema.required
    : Object.keys(properties);
  // Deduplicated: a name repeated a thousand times on every level would never end.
  const names = new Set(required.filter((name) => typeof name === 'string'));
  return Object.fromEntries([...names].map((name) => [name, sampleValue(properties[name], depth + 1)]));
}
