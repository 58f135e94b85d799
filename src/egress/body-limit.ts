import type { Response as UndiciResponse } from 'undici';
import { EgressError } from './egress-error.ts';

interface BodyLimit {
  readonly url: URL;
  readonly maxBytes: number;
  /** An error that is known already: the body is not read. */
  readonly error: EgressError | undefined;
}

/** The response as one of Node.js, with a body that fails once it is too large. */
export async function limitBody(response: UndiciResponse, limit: BodyLimit): Promise<Response> {
  const { body, status, statusText, headers } = response;
  const isDeclaredTooLarge = body !== null && Number(headers.get('content-length')) > limit.maxBytes;
  const error = limit.error ?? (isDeclaredTooLarge ? tooLargeError(limit) : undefined);
  if (error !== undefined) {
    await body?.cancel();
    throw error;
  }
  const limited = body?.pipeThrough(createLimiter(limit)) ?? null;
  return new Response(limited, { status, statusText, headers: [...headers] });
}

function createLimiter(limit: BodyLimit): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > limit.maxBytes) controller.error(tooLargeError(limit));
      else controller.enqueue(chunk);
    },
  });
}

function tooLargeError({ url, maxBytes }: BodyLimit): EgressError {
  return new EgressError('EGRESS_TOO_LARGE', `the response of ${url.origin} has more than ${maxBytes} bytes`);
}
