import type { BackgroundMode } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { invalidRequestError } from '../check-messages.ts';
import { stringOf } from '../json-values.ts';
import { inputStepsOf } from './decode-steps.ts';
import { interactionFields } from './encode-interaction.ts';

/** Interactions that a client reads later. */
export const interactionsBackground: BackgroundMode = {
  isRequested: (fieldReader) => fieldReader.get('background') === true,
  isRunning: ({ status }) => status === 'queued' || status === 'in_progress',
  check(fieldReader) {
    if (fieldReader.get('store') === false)
      throw invalidRequestError('store', 'an interaction in the background must be stored');
    if (fieldReader.get('stream') === true)
      throw invalidRequestError(
        'stream',
        'an interaction with this model can’t be streamed from the background; read it later',
      );
  },
  begin(body, { name, model }) {
    const id = `interaction_${name}`;
    const previous = stringOf(body.previous_interaction_id);
    const fields = interactionFields({ id, model }, body, new Date(systemClock.now()));
    return {
      id,
      queued: { ...fields, status: 'in_progress', steps: [] },
      turn: (status, thrown) => ({
        ...(previous !== undefined && { previous }),
        items: inputStepsOf(body),
        answer: { ...fields, status, ...(status === 'failed' && { error: errorOf(thrown) }) },
        outputCount: 0,
      }),
    };
  },
};

function errorOf(thrown: unknown): JsonObject {
  if (!GatewayError.is(thrown)) return { code: 500, message: 'internal error in the gateway' };
  return { code: thrown.status, message: thrown.message };
}
