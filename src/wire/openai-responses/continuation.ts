import type { Continuation } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { markTexts } from '../../kernel/scan/scan.ts';
import { systemClock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { responsesBackground } from './background.ts';
import { encodeResponse, responseIdOf } from './encode-response.ts';
import { inputItemsOf } from './input-items.ts';
import { reasoningTextOf } from './reasoning.ts';

const referenceTypes = markTexts('item_reference');

/** Clients refer to the previous response, or to single items of earlier ones, unless they disable storage. */
export const responsesContinuation: Continuation = {
  isUsed: () => true,
  begins: responsesBackground.isRequested,
  isStoredBy: () => true,
  previousIdIn: (fieldReader) => stringOf(fieldReader.get('previous_response_id')),
  mayQuote: (fields) => fields.mayHave(referenceTypes),
  itemsOf: inputItemsOf,
  quotedIdsIn(items) {
    const quoted = items.map((item) => ownItemPattern.exec(referencedItemId(item) ?? '')?.[1]);
    return [...new Set(quoted.filter((id) => id !== undefined).map(responseIdOf))];
  },
  resolve(items, quoted) {
    const byId = new Map(
      quoted.filter((item) => referencedItemId(item) === undefined).map((item) => [item.id, item]),
    );
    return items.map((item) => {
      const id = referencedItemId(item);
      const written = id === undefined ? item : byId.get(id);
      if (written !== undefined) return written;
      // Any other item is one of the provider's.
      if (id !== undefined && ownItemPattern.test(id)) throw itemNotFoundError(id);
      return item;
    });
  },
  withoutOwnIds: (items) => items.flatMap(withoutOwnId),
  background: responsesBackground,
  withItems: ({ previous_response_id: _, background: __, ...rest }, input) => ({ ...rest, input }),
  isContinuable: (fieldReader) => fieldReader.get('store') !== false,
  answerIdOf: (name) => name,
  turnOf(body, answer) {
    const previous = stringOf(body.previous_response_id);
    const createdSeconds = Math.floor(systemClock.now() / 1000);
    const { output, ...response } = encodeResponse(answer, body, createdSeconds);
    const outputItems = objectsOf(output);
    const turn = {
      items: [...inputItemsOf(body), ...outputItems],
      answer: response,
      outputCount: outputItems.length,
    };
    return { id: responseIdOf(answer.id), turn: previous === undefined ? turn : { previous, ...turn } };
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

function itemNotFoundError(id: string): GatewayError {
  return new GatewayError('not_found', `Item with id '${id}' not found.`, { param: 'input' });
}

/** Ids of items that the gateway wrote contain the id of their response. */
const ownItemPattern = /^[a-z]+_([0-9a-f]{32})_\d+$/;

/** A provider that stores items would look for the gateway's ids in vain. Reasoning without content says nothing. */
function withoutOwnId(item: JsonObject): readonly JsonObject[] {
  const { id, ...rest } = item;
  if (!ownItemPattern.test(stringOf(id) ?? '')) return [item];
  const isEmpty =
    item.type === 'reasoning' && item.encrypted_content === undefined && reasoningTextOf(item) === '';
  return isEmpty ? [] : [rest];
}
