import type { Dispatcher } from 'undici';
import { addPiece } from '../kernel/add-piece.ts';
import { limits } from '../kernel/limits.ts';

export interface SmallAnswer {
  readonly status: number;
  readonly text: string;
}

/** Makes a call and puts together what little comes back. */
export function smallAnswer(
  pool: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<SmallAnswer> {
  return new Promise((resolve, reject) => {
    // Without a connection nobody else would say that this is over.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    pool.dispatch(options, gathering({ signal, resolve, reject }));
  });
}

interface Gathering {
  readonly signal: AbortSignal;
  resolve(whole: SmallAnswer): void;
  reject(cause: unknown): void;
}

function gathering({ signal, resolve, reject }: Gathering): Dispatcher.DispatchHandler {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let status = 0;
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('nobody waits for it any more'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    },
    onResponseStart(_, code) {
      status = code;
    },
    onResponseData(controller, piece) {
      bytes += piece.length;
      if (bytes > limits.frameBytesMax) controller.abort(new Error('its answer is too long'));
      else addPiece(pieces, piece);
    },
    onResponseEnd: () => resolve({ status, text: Buffer.concat(pieces).toString() }),
    onResponseError: (_, cause) => reject(cause),
  };
}
