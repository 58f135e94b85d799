import { GatewayError } from '../kernel/errors.ts';

/** Hides a provider's error from guests, because it concerns the operator's account. */
export function hideProviderError(thrown: unknown): unknown {
  if (!GatewayError.is(thrown)) return thrown;
  const { code, status, details } = thrown;
  switch (code) {
    case 'upstream_error':
      return isBusy(status)
        ? new GatewayError('busy', 'the model is busy; try again in a moment', {
            retryAfterSeconds: 5,
            cause: thrown,
          })
        : new GatewayError('upstream_broken', 'the model did not answer this call', { cause: thrown });
    case 'upstream_timeout':
      return new GatewayError('upstream_broken', 'the model did not answer in time', { cause: thrown });
    case 'cost_ceiling_exceeded':
    case 'request_cost_exceeded':
      return new GatewayError('sandbox_spent', "the operator's daily budget is used up; try again later", {
        shouldRetry: false,
        cause: thrown,
        ...(details.resetsAtMs !== undefined && { resetsAtMs: details.resetsAtMs }),
      });
    default:
      // Never forward the provider's bytes, whatever the error is.
      return details.upstream === undefined
        ? thrown
        : new GatewayError('upstream_broken', 'the model did not answer this call', { cause: thrown });
  }
}

function isBusy(status: number): boolean {
  return status === 429 || status === 503 || status === 529;
}
