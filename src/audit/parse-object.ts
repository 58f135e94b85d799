import { isJsonObject, type JsonObject } from '../lib/json.ts';

/** The fields of a JSON object; none if the text is something else. */
export function parseObject(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
