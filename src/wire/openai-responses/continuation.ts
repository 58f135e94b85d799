import type { Continuation } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { encodeOutputItems, responseIdOf } from './encode-response.ts';

/** The input of a request as items. */
export function inputItemsOf(body: JsonObject): readonly JsonObject[] {
  const { input } = body;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);
}

/** Clients refer to the previous response, or to single items of earlier ones, unless they disable storage. */
export const responsesContinuation: Continuation = {
  previousIdIn: (fieldReader) => stringOf(fieldReader.get('previous_response_id')),
  referencesIn(body) {
    const quoted = inputItemsOf(body).flatMap((item) => responseIdsOfItem(referencedItemId(item)));
    return { previous: stringOf(body.previous_response_id), quotedIds: [...new Set(quoted)] };
  },
  expandRequest: (body, history, quoted) => {
    const { previous_response_id: _, ...rest } = body;
    const byId = new Map(quoted.map((item) => [item.id, item]));
    const input = inputItemsOf(body).map((item) => {
      const id = referencedItemId(item);
      return (id === undefined ? undefined : byId.get(id)) ?? item;
    });
    // The API doesn't carry instructions over.
    return { ...rest, input: [...history, ...input] };
  },
  historyRequest: ({ previous_response_id: _, ...rest }, history) => ({ ...rest, input: history }),
  isContinuable: (fieldReader) => fieldReader.get('store') !== false,
  turnOf(body, answer) {
    const previous = stringOf(body.previous_response_id);
    const items = [...inputItemsOf(body), ...encodeOutputItems(answer, body)];
    return {
      id: responseIdOf(answer.id),
      turn: previous === undefined ? { items } : { previous, items },
    };
  },
  notFoundError: (id) =>
    new GatewayError('previous_response_not_found', `Previous response with id '${id}' not found.`, {
      param: 'previous_response_id',
    }),
};

function referencedItemId(item: JsonObject): string | undefined {
  return item.type === 'item_reference' || (item.type === undefined && item.role === undefined)
    ? stringOf(item.id)
    : undefined;
}

/** Ids of items that we wrote contain the id of their response. */
function responseIdsOfItem(id: string | undefined): readonly string[] {
  const match = /^[a-z]+_(.+)_\d+$/.exec(id ?? '')?.[1];
  return match === undefined ? [] : [responseIdOf(match)];
}
