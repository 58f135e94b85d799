import { isJsonObject } from '../../lib/json.ts';

/** Whether OpenAI's strict mode accepts this schema: every object closed, every property required. */
export function fitsStrictMode(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(fitsStrictMode);
  if (!isJsonObject(schema)) return true;
  const { properties, required } = schema;
  if (schema.type === 'object' || isJsonObject(properties)) {
    if (schema.additionalProperties !== false) return false;
    const names = Object.keys(isJsonObject(properties) ? properties : {});
    if (!names.every((name) => Array.isArray(required) && required.includes(name))) return false;
  }
  return Object.values(schema).every(fitsStrictMode);
}
