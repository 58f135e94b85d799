import { isJsonObject } from '../../lib/json.ts';

/** Removes cache markers from tools, messages and their blocks, but not inside tool input. */
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
