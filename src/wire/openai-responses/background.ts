import type { BackgroundMode } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { invalidRequestError } from '../check-messages.ts';
import { stringOf } from '../json-values.ts';
import { createResponseSkeleton, responseIdOf } from './encode-response.ts';
import { inputItemsOf } from './input-items.ts';

/** Responses that a client reads later. */
export const responsesBackground: BackgroundMode = {
  isRequested: (fieldReader) => fieldReader.get('background') === true,
  isRunning: ({ status }) => status === 'queued' || status === 'in_progress',
  check(fieldReader) {
    if (fieldReader.get('store') === false)
      throw invalidRequestError('store', 'a response in the background must be stored');
    if (fieldReader.get('stream') === true)
      throw invalidRequestError(
        'stream',
        'a response of this model can’t be streamed from the background; read it later',
      );
  },
  begin(body, { name, model }) {
    const created = Math.floor(systemClock.now() / 1000);
    const skeleton = createResponseSkeleton({ id: name, model }, body, created);
    const previous = stringOf(body.previous_response_id);
    return {
      id: responseIdOf(name),
      queued: { ...skeleton, status: 'queued', error: null, output: [] },
      turn: (status, thrown) => ({
        ...(previous !== undefined && { previous }),
        items: inputItemsOf(body),
        answer: { ...skeleton, status, error: status === 'failed' ? errorOf(thrown) : null },
        outputCount: 0,
      }),
    };
  },
};

function errorOf(thrown: unknown): JsonObject {
  if (!GatewayError.is(thrown)) return { code: 'server_error', message: 'internal error in the gateway' };
  return { code: thrown.status === 429 ? 'rate_limit_exceeded' : 'server_error', message: thrown.message };
}
