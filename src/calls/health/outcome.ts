import { type ErrorDetails, GatewayError } from '../../kernel/errors.ts';
import type { Ending } from '../../kernel/reply/ending.ts';
import { limits } from '../limits.ts';

/** What an attempt says about its target. */
export type Outcome =
  | { readonly kind: 'answered' | 'failed' | 'unknown' }
  /** The provider knows the credential, and rejects it for this target. */
  | { readonly kind: 'rejected-target' }
  /** The provider rejects the credential for all targets. */
  | { readonly kind: 'rejected-credential' }
  /** The provider sent `retry-after`, or the credential has no credit left. */
  | { readonly kind: 'rest'; readonly seconds: number };

/** Only failures of the provider count: a rejection that the client caused shows that the provider works. */
export function outcomeOf(ending: Ending): Outcome {
  if (ending.how === 'complete') return answered;
  if (ending.how === 'aborted' || !GatewayError.is(ending.error)) return unknown;
  const { code, status, details } = ending.error;
  switch (code) {
    case 'upstream_unreachable':
    case 'upstream_timeout':
    case 'upstream_broken':
      return failed;
    case 'upstream_error':
      return outcomeOfStatus(status, details);
    default:
      return unknown;
  }
}

function outcomeOfStatus(status: number, { retryAfterSeconds, keyProblem }: ErrorDetails): Outcome {
  if (status === 401 || keyProblem === 'rejected') return { kind: 'rejected-credential' };
  if (status === 402 || keyProblem === 'unpaid') return { kind: 'rest', seconds: limits.unpaidRestSeconds };
  const isBusy = status === 429 || status === 503 || status === 529;
  if (isBusy && retryAfterSeconds !== undefined) return { kind: 'rest', seconds: retryAfterSeconds };
  if (isBusy || status === 408 || status >= 500) return failed;
  return status === 403 ? { kind: 'rejected-target' } : answered;
}

const answered: Outcome = { kind: 'answered' };
const failed: Outcome = { kind: 'failed' };
const unknown: Outcome = { kind: 'unknown' };
