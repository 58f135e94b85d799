import type { Dispatcher } from 'undici';
import { firstWords } from './answers.ts';
import type { Call } from './calls.ts';

export interface SentCall extends Call {
  readonly headers: Readonly<Record<string, string>>;
  /** Told of every piece of the answer. */
  readonly onBytes?: (total: number, piece: number) => void;
  /** The client leaves after this, whatever has come by then. */
  readonly leaveAfterMs?: number;
}

export interface Outcome {
  readonly status: number;
  readonly bytes: number;
  readonly firstTokenAtMs: number | undefined;
  /** Why the answer isn't a whole one with status 200. */
  readonly failure: string | undefined;
}

/** Makes one call and reads the answer as cheaply as can be. */
export function send(
  to: Dispatcher,
  { path, body, headers, onBytes, leaveAfterMs }: SentCall,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let status = 0;
    let bytes = 0;
    let firstTokenAtMs: number | undefined;
    let refusal = '';
    let leaving: NodeJS.Timeout | undefined;
    const finish = (failure: string | undefined): void => {
      clearTimeout(leaving);
      resolve({ status, bytes, firstTokenAtMs, failure });
    };
    to.dispatch(
      { path, method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
      {
        onRequestStart(controller) {
          if (leaveAfterMs === undefined) return;
          leaving = setTimeout(() => controller.abort(new Error('the client left')), leaveAfterMs);
        },
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length;
          if (firstTokenAtMs === undefined && chunk.includes(firstWords)) firstTokenAtMs = performance.now();
          if (status !== 200) refusal = `${refusal}${chunk}`.slice(0, 300);
          onBytes?.(bytes, chunk.length);
        },
        onResponseEnd() {
          finish(status === 200 ? undefined : `${status} ${refusal}`);
        },
        onResponseError(_controller, error) {
          finish(String(error));
        },
      },
    );
  });
}
