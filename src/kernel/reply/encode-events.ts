import { GatewayError, isInterruption } from '../errors.ts';
import type { ReplyEncoder } from '../wire-format.ts';
import type { Events } from './rewrite-events.ts';
import type { PullResult, Source } from './source.ts';

/** Encodes the events of a reply in a format; calls `fail` if they can't be encoded. */
export function encodeEvents(
  events: Source<Events>,
  encoder: ReplyEncoder,
  fail: (fault: unknown) => Promise<never>,
): () => PullResult<Uint8Array> {
  let hasEnded = false;
  let isEmpty = true;
  return async () => {
    while (!hasEnded) {
      let next: Events | undefined;
      try {
        next = await events.next();
      } catch (failure) {
        hasEnded = true;
        return encodeFailure(failure, encoder);
      }
      if (next === undefined) {
        hasEnded = true;
        return isEmpty ? fail(emptyAnswerError()) : encoder.end();
      }
      if (next.length > 0) isEmpty = false;
      try {
        const bytes = encodeBatch(next, encoder);
        if (bytes !== undefined) return bytes;
      } catch (fault) {
        hasEnded = true;
        return fail(fault);
      }
    }
    return undefined;
  };
}

export function emptyAnswerError(): GatewayError {
  return new GatewayError('upstream_broken', "the provider's response contains no message");
}

function encodeBatch(events: Events, encoder: ReplyEncoder): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  for (const event of events) {
    const chunk = encoder.push(event);
    if (chunk !== undefined) chunks.push(chunk);
  }
  return chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
}

/** Some providers don't name the model in their answers: it is the requested one. */
export function withDefaultModel(encoder: ReplyEncoder, requestedModel: unknown): ReplyEncoder {
  if (typeof requestedModel !== 'string') return encoder;
  return {
    push: (event) =>
      encoder.push(
        event.type === 'message_start' && event.message.model === ''
          ? { ...event, message: { ...event.message, model: requestedModel } }
          : event,
      ),
    end: () => encoder.end(),
  };
}

/** An encoded stream ends with an error in its own format, unless it is broken off; for a whole answer nothing was sent yet. */
function encodeFailure(failure: unknown, encoder: ReplyEncoder): Uint8Array {
  if (!GatewayError.is(failure) || isInterruption(failure)) throw failure;
  const { message, status, code } = failure;
  const error = { type: 'api_error', message, status, code };
  const bytes = encoder.push({ type: 'error', error });
  if (bytes === undefined) throw failure;
  return bytes;
}
