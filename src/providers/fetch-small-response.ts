import type { Dispatcher } from 'undici';
import type { Endpoint } from '../egress/endpoint.ts';
import { appendChunk } from '../lib/append-chunk.ts';
import { limits } from '../wire/limits.ts';

export interface SmallResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends a request and collects its small response. */
export function fetchSmallResponse(
  endpoint: Endpoint,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<SmallResponse> {
  return new Promise((resolve, reject) => {
    // Before there is a connection, undici doesn't report the abort.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    endpoint.dispatch(options, createCollector({ signal, resolve, reject }));
  });
}

interface CollectorParts {
  readonly signal: AbortSignal;
  resolve(whole: SmallResponse): void;
  reject(cause: unknown): void;
}

function createCollector({ signal, resolve, reject }: CollectorParts): Dispatcher.DispatchHandler {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let status = 0;
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('the request was aborted'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    },
    onResponseStart(_, code) {
      status = code;
    },
    onResponseData(controller, piece) {
      bytes += piece.length;
      if (bytes > limits.frameBytesMax) controller.abort(new Error('the response is too large'));
      else appendChunk(pieces, piece);
    },
    onResponseEnd: () => resolve({ status, text: Buffer.concat(pieces).toString() }),
    onResponseError: (_, cause) => reject(cause),
  };
}
