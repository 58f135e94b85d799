import { isJsonObject } from './json.ts';

/** Without cache markers, which stand on tools, on messages and on what these contain; not inside of what a tool is given. */
export function stripCacheControl(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripCacheControl);
  if (!isJsonObject(value)) return value;
  const { cache_control: _, ...rest } = value;
  return {
    ...rest,
    ...('content' in rest && { content: stripCacheControl(rest.content) }),
    ...('function' in rest && { function: stripCacheControl(rest.function) }),
  };
}
