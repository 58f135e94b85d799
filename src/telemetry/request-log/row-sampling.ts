import type { NanoUsd } from '../../kernel/money.ts';
import { isIdInShare } from '../../kernel/request-id.ts';
import type { EndedCall } from '../ended-call.ts';

/** Which calls get a row. All calls count in the sums. */
export interface RowSampling {
  /** The share of calls with a row, from 0 to 1. */
  readonly share: number;
  /** Calls that cost at least this much always have a row. */
  readonly keptNanoUsd: NanoUsd;
}

/** How many calls the row of this call stands for; 0 if it gets none. */
export function weightOf(call: EndedCall, { share, keptNanoUsd }: RowSampling): number {
  if (share === 1 || isNotable(call, keptNanoUsd)) return 1;
  return isIdInShare(call.id, share) ? 1 / share : 0;
}

function isNotable({ status, ending, costNanoUsd = 0 }: EndedCall, keptNanoUsd: NanoUsd): boolean {
  return status >= 400 || ending !== 'complete' || costNanoUsd >= keptNanoUsd;
}
