import { overageCreditsPerRequest } from '../kernel/credits.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { CreditStanding } from '../kernel/ports/billing.ts';
import type { Allowance } from '../kernel/ports/shared-state.ts';

/** Calls that a tier and credits pay for together, as it was in this version of the account. */
interface CreditCap {
  readonly version: string;
  readonly limit: number;
}

type ReadStanding = (accountId: string, periodStartMs: number) => Promise<CreditStanding>;

/**
 * How far past its cap an account may go. A call past the cap is counted and paid for in one step, so that what is paid for
 * in all stays the same while calls are made, and it is read again only when somebody gives or takes credits.
 */
export class CreditCaps {
  readonly #caps = new Lru<CreditCap>(limits.creditCapsKept);
  readonly #readStanding: ReadStanding;

  constructor(readStanding: ReadStanding) {
    this.#readStanding = readStanding;
  }

  cached(allowance: Allowance): CreditCap | undefined {
    return this.#caps.get(cacheKeyOf(allowance));
  }

  /** `version` was known before this is read, so that a change in between is noticed. */
  async refresh(allowance: Allowance, version: string): Promise<void> {
    const { accountId, periodStartMs, limit } = allowance;
    const { calls, credits } = await this.#readStanding(accountId, periodStartMs);
    const paidFor = Math.floor(credits / overageCreditsPerRequest);
    this.#caps.set(cacheKeyOf(allowance), { version, limit: Math.max(limit, calls) + paidFor });
  }
}

/** With the tier's own cap: one that is changed makes for another. */
function cacheKeyOf({ accountId, periodStartMs, limit }: Allowance): string {
  return `${periodStartMs} ${limit} ${accountId}`;
}
