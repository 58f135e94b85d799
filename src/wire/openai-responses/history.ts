import type { JsonObject } from '../../kernel/json.ts';
import { objectsOf } from '../read.ts';

/** What a request puts before the model, as items. */
export function inputItemsOf(body: JsonObject): readonly JsonObject[] {
  const { input } = body;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);
}

/**
 * A request that went on from an earlier answer, with that answer's conversation written out: its input, its output,
 * then the new input. Instructions are not carried over, as the API says.
 */
export function withHistory(body: JsonObject, history: readonly JsonObject[]): JsonObject {
  const { previous_response_id: _, ...rest } = body;
  return { ...rest, input: [...history, ...inputItemsOf(body)] };
}
