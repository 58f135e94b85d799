import type { JsonObject } from '../../lib/json.ts';
import { objectOf, stringOf } from '../json-values.ts';

/**
 * An error in a stream whose state is unknown here. It can't be a `response.failed`, which clients reject if its id
 * isn't the stream's; its sequence number only has to exceed the previous ones.
 */
export function errorFrame(envelope: JsonObject): Uint8Array {
  return Buffer.from(`event: error\ndata: ${JSON.stringify(errorEvent(envelope))}\n\n`);
}

export function errorEvent(envelope: JsonObject): JsonObject {
  const error = objectOf(envelope.error) ?? {};
  return {
    type: 'error',
    code: stringOf(error.code) ?? stringOf(error.type) ?? 'server_error',
    message: stringOf(error.message) ?? 'the response was interrupted',
    param: error.param ?? null,
    error,
    request_id: envelope.request_id,
    sequence_number: sequenceNumberMax,
  };
}

const sequenceNumberMax = 2 ** 31 - 1;
