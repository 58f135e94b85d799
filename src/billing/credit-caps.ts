import { overageCreditsPerRequest } from '../kernel/credits.ts';
import type { CreditStanding } from '../kernel/ports/billing.ts';
import type { Allowance } from '../kernel/ports/shared-state.ts';
import { Lru } from '../lib/lru.ts';
import { limits } from './limits.ts';

/** The calls that a tier and credits pay for together, as of this version of the account. */
interface CreditCap {
  readonly version: string;
  readonly limit: number;
}

type ReadStanding = (accountId: string, periodStartMs: number) => Promise<CreditStanding>;

/**
 * How far past its cap an account may go. A call past the cap is counted and charged in one step, so that the total of paid
 * calls stays the same while calls are made. It is read again only when credits are added or removed.
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

  /** `version` was read before, so that a change in between is noticed. */
  async refresh(allowance: Allowance, version: string): Promise<void> {
    const { accountId, periodStartMs, limit } = allowance;
    const { calls, credits } = await this.#readStanding(accountId, periodStartMs);
    const paidFor = Math.floor(credits / overageCreditsPerRequest);
    this.#caps.set(cacheKeyOf(allowance), { version, limit: Math.max(limit, calls) + paidFor });
  }
}

/** Includes the tier's own cap, so that a changed cap gets a new entry. */
function cacheKeyOf({ accountId, periodStartMs, limit }: Allowance): string {
  return `${periodStartMs} ${limit} ${accountId}`;
}
