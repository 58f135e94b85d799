import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../kernel/errors.ts';
import type { Provider } from '../kernel/provider.ts';

/** Failures before a connection is established: nothing can have been sent. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'EPROXY',
]);

const timeoutErrorCodes = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'EGRESS_TIMEOUT',
]);

/** Whether a server that was reached sent nothing for too long. */
export function isTimeout(cause: unknown): boolean {
  return errorCodesOf(cause).some((code) => timeoutErrorCodes.has(code));
}

export function isConnectFailure(failure: unknown): boolean {
  return (
    failure instanceof GatewayError && errorCodesOf(failure.cause).some((code) => connectErrorCodes.has(code))
  );
}

/** Exponential backoff with jitter. */
export async function waitBeforeRetry(attempt: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.random() * 100 * 2 ** attempt, undefined, { signal }).catch(() => undefined);
}

export function unreachableError(provider: Provider, cause: unknown): GatewayError {
  const codes = errorCodesOf(cause);
  const why = codes[0] ?? 'the connection broke';
  if (isTimeout(cause))
    return new GatewayError('upstream_timeout', `${provider.title} did not answer in time (${why})`, {
      cause,
    });
  return new GatewayError('upstream_unreachable', `${provider.title} could not be reached (${why})`, {
    cause,
  });
}

/** An attempt without content in the time that a module gave it. */
export function lateContentError(provider: Provider, contentMs: number): GatewayError {
  return new GatewayError(
    'upstream_timeout',
    `${provider.title} sent no content within ${contentMs / 1000} s`,
  );
}

/**
 * A connection that ended during a response. Clients retry on the word "terminated", and get a broken connection as well
 * unless a module has chosen the target.
 */
export function interruptedError(provider: Provider, cause: unknown, isRouted: boolean): GatewayError {
  const [code] = errorCodesOf(cause);
  if (code !== undefined && timeoutErrorCodes.has(code))
    return new GatewayError(
      'upstream_timeout',
      `${provider.title} stopped sending in the middle of its response (${code})`,
      {
        cause,
      },
    );
  const why = cause instanceof Error ? cause.message : (code ?? 'the connection broke');
  return new GatewayError(
    'upstream_broken',
    `${provider.title} ended its response before it was complete: terminated (${why})`,
    { cause, ...(!isRouted && { isInterruption: true }) },
  );
}

export function clientGoneError(cause: unknown): GatewayError {
  return new GatewayError('client_gone', 'the client closed the connection', { cause });
}

/** A host with several addresses fails with an AggregateError. */
function errorCodesOf(failure: unknown): readonly string[] {
  if (failure instanceof AggregateError) return failure.errors.flatMap(errorCodesOf);
  if (typeof failure !== 'object' || failure === null || !('code' in failure)) return [];
  return typeof failure.code === 'string' ? [failure.code] : [];
}
