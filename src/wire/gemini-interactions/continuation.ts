import type { Continuation } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { interactionsBackground } from './background.ts';
import { inputStepsOf } from './decode-steps.ts';
import { encodeInteraction } from './encode-interaction.ts';

/** Clients refer to the previous interaction, unless they disable storage. Instructions and tools are not carried over. */
export const interactionsContinuation: Continuation = {
  isUsed: () => true,
  begins: interactionsBackground.isRequested,
  isStoredBy: () => true,
  previousIdIn: (fieldReader) => stringOf(fieldReader.get('previous_interaction_id')),
  mayQuote: () => false,
  itemsOf: inputStepsOf,
  quotedIdsIn: () => [],
  resolve: (items) => items,
  withoutOwnIds: (items) => items,
  background: interactionsBackground,
  withItems: ({ previous_interaction_id: _, background: __, ...rest }, input) => ({ ...rest, input }),
  isContinuable: (fieldReader) => fieldReader.get('store') !== false,
  answerIdOf: (name) => `interaction_${name}`,
  turnOf(body, answer) {
    const previous = stringOf(body.previous_interaction_id);
    const { steps, ...interaction } = encodeInteraction(answer, body, new Date(systemClock.now()));
    const output = objectsOf(steps);
    const turn = {
      items: [...inputStepsOf(body), ...output],
      answer: interaction,
      outputCount: output.length,
    };
    return { id: answer.id, turn: previous === undefined ? turn : { previous, ...turn } };
  },
  notFoundError: (id) =>
    new GatewayError('previous_response_not_found', `Interaction ${id} was not found.`, {
      param: 'previous_interaction_id',
    }),
};
