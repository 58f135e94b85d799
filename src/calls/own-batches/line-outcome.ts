import type { GatewayError } from '../../kernel/errors.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import { isConnectFailure } from '../../providers/connection-errors.ts';
import { limits } from '../limits.ts';

/** The response to a call of a batch. */
export interface LineAnswer {
  readonly requestId: string;
  readonly status: number;
  readonly body: Buffer;
  readonly costNanoUsd: NanoUsd;
  /** Why there is no answer; undefined if there is one. */
  readonly failure?: GatewayError | undefined;
  /** Whether the response has its end. */
  readonly isComplete: boolean;
}

/** When a call that has cost nothing is sent again; undefined if it has ended. */
export function retryAfterMs(answer: LineAnswer, attempts: number): number | undefined {
  const { failure } = answer;
  if (failure === undefined || !mayRetry(failure)) return undefined;
  const isLimit = failure.status === tooManyRequests;
  if (!isLimit && attempts >= limits.lineAttemptsMax) return undefined;
  const seconds = failure.details.retryAfterSeconds;
  const backoff = Math.min(limits.lineRetryMsMax, limits.lineRetryMs * 2 ** Math.min(attempts - 1, 20));
  return seconds === undefined ? backoff : Math.max(seconds * 1000, limits.lineRetryMsMin);
}

/** Whether the provider has done nothing for the call: it refused it, was overloaded or was not reached. */
function mayRetry(failure: GatewayError): boolean {
  const { code, status, details } = failure;
  if (details.shouldRetry === false || details.isInterruption === true) return false;
  if (code === 'upstream_error')
    return status === tooManyRequests || status === requestTimeout || status >= 500;
  return retriedCodes.has(code) || isConnectFailure(failure);
}

const tooManyRequests = 429;
const requestTimeout = 408;
const retriedCodes: ReadonlySet<string> = new Set([
  'rate_limited',
  'concurrency_limit',
  'targets_unavailable',
  'busy',
  'storage_unavailable',
]);
