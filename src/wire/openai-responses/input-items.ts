import type { JsonObject } from '../../lib/json.ts';
import { objectsOf } from '../json-values.ts';

/** The input of a request as items. */
export function inputItemsOf(body: JsonObject): readonly JsonObject[] {
  const { input } = body;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);
}
