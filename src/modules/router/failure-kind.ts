import { GatewayError } from '../../module-api.ts';
import type { FailureKind } from './options.ts';

/** Why a target failed, if another may answer; undefined for errors that the client caused, and for faults of our own. */
export function failureKindOf(error: unknown): FailureKind | undefined {
  if (!GatewayError.is(error)) return undefined;
  switch (error.code) {
    case 'upstream_unreachable':
      return 'connect';
    case 'upstream_timeout':
      return 'timeout';
    case 'upstream_broken':
      return 'server_error';
    case 'upstream_error':
      return kindOfResponse(error);
    // Nothing was sent: the target can't be used by this caller, or would cost more than a ceiling allows.
    case 'provider_key_missing':
    case 'provider_key_mismatch':
    case 'provider_key_unreadable':
    case 'format_not_supported':
    case 'model_not_priced':
    case 'request_cost_exceeded':
    case 'cost_ceiling_exceeded':
      return 'unavailable';
    default:
      return undefined;
  }
}

function kindOfResponse({ status, details }: GatewayError): FailureKind | undefined {
  if (details.providerCode === 'context_length_exceeded') return 'context_length';
  if (details.keyProblem !== undefined) return 'unavailable';
  switch (status) {
    case 401:
    case 402:
    case 403:
    case 404:
    case 410:
      return 'unavailable';
    case 408:
      return 'timeout';
    case 429:
      return 'rate_limit';
    case 503:
    case 529:
      return 'overloaded';
    case 413:
      return 'context_length';
    default:
      return status >= 500 ? 'server_error' : undefined;
  }
}

/** Whether the same target may answer a moment later. */
export function isTransient(kind: FailureKind): boolean {
  return kind === 'connect' || kind === 'server_error' || kind === 'overloaded';
}
