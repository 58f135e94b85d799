import type { Continuation } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { objectsOf, stringOf } from '../read.ts';
import { outputOf, responseIdOf } from './write-response.ts';

/** What a request puts before the model, as items. */
export function inputItemsOf(body: JsonObject): readonly JsonObject[] {
  const { input } = body;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);
}

/** Clients name the answer that they go on from, or single items of earlier answers, unless they want nothing stored. */
export const responsesContinuation: Continuation = {
  previousIn: (fields) => stringOf(fields.get('previous_response_id')),
  namedIn(body) {
    const quoted = inputItemsOf(body).flatMap((item) => answerOfItem(referenceIn(item)));
    return { previous: stringOf(body.previous_response_id), quoted: [...new Set(quoted)] };
  },
  writtenOut: (body, history, quoted) => {
    const { previous_response_id: _, ...rest } = body;
    const byId = new Map(quoted.map((item) => [item.id, item]));
    const input = inputItemsOf(body).map((item) => {
      const id = referenceIn(item);
      return (id === undefined ? undefined : byId.get(id)) ?? item;
    });
    // Instructions are not carried over, as the API says.
    return { ...rest, input: [...history, ...input] };
  },
  before: ({ previous_response_id: _, ...rest }, history) => ({ ...rest, input: history }),
  keeps: (fields) => fields.get('store') !== false,
  turnOf(body, answer) {
    const previous = stringOf(body.previous_response_id);
    const items = [...inputItemsOf(body), ...outputOf(answer, body)];
    return {
      id: responseIdOf(answer.id),
      turn: previous === undefined ? { items } : { previous, items },
    };
  },
  missing: (id) =>
    new GatewayError('previous_response_not_found', `Previous response with id '${id}' not found.`, {
      param: 'previous_response_id',
    }),
};

function referenceIn(item: JsonObject): string | undefined {
  return item.type === 'item_reference' || (item.type === undefined && item.role === undefined)
    ? stringOf(item.id)
    : undefined;
}

/** Items of answers that are written here have the answer's name in their own. */
function answerOfItem(id: string | undefined): readonly string[] {
  const found = /^[a-z]+_(.+)_\d+$/.exec(id ?? '')?.[1];
  return found === undefined ? [] : [responseIdOf(found)];
}
