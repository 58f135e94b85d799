import type { Turn } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { invalidRequestError } from '../check-messages.ts';
import { numberOf, stringOf } from '../json-values.ts';
import { limits } from '../limits.ts';
import { streamOf } from './reframe-response.ts';

/** A stored response as its client got it; undefined if only the provider has it. */
export function storedResponseOf({ answer, outputCount = 0, items }: Turn): JsonObject | undefined {
  return answer && { ...answer, output: outputCount === 0 ? [] : items.slice(-outputCount) };
}

/** The events of a stored response after `startingAfter`, as a stream. */
export function streamStoredResponse(response: JsonObject, startingAfter: string | null): string {
  const after = startingAfter === null ? -1 : Number(startingAfter);
  if (!Number.isInteger(after)) throw invalidRequestError('starting_after', 'must be a sequence number');
  return streamOf(response, after + 1);
}

/** A page of the items that a response was made from. */
export function inputItemPage(
  items: readonly JsonObject[],
  responseId: string,
  query: URLSearchParams,
): JsonObject {
  const limit = numberOf(Number(query.get('limit') ?? defaultPageItems)) ?? 0;
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.inputItemPageMax)
    throw invalidRequestError('limit', `must be an integer from 1 to ${limits.inputItemPageMax}`);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidRequestError('order', 'must be "asc" or "desc"');
  const named = items.map((item, at) => toInputItem(item, `${responseId.replace('resp_', 'msg_')}_in_${at}`));
  const ordered = order === 'asc' ? named : named.reverse();
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0)
    throw new GatewayError('not_found', `Item with id '${after}' not found.`, { param: 'after' });
  const data = ordered.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  };
}

const defaultPageItems = 20;

/** Messages get the long form that the API has in lists, and every item an id. */
function toInputItem(item: JsonObject, id: string): JsonObject & { readonly id: string } {
  const own = { ...item, id: stringOf(item.id) ?? id };
  const { content } = item;
  if (item.type !== undefined && item.type !== 'message') return own;
  const parts =
    typeof content === 'string'
      ? [{ type: item.role === 'assistant' ? 'output_text' : 'input_text', text: content }]
      : content;
  return { status: 'completed', ...own, type: 'message', content: parts };
}
