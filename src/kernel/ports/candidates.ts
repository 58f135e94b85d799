import type { Abilities } from '../abilities.ts';
import type { NanoUsd } from '../money.ts';
import type { Target } from '../provider.ts';
import type { ModelPricing } from '../rate-card.ts';
import type { TargetHealth } from './health.ts';

/** A target that a call could go to, with what is known about it. */
export interface Candidate {
  readonly target: Target;
  /** `provider/model` */
  readonly name: string;
  /** The name in `models` that it was found by, which may be an alias; undefined without a list. */
  readonly listedAs: string | undefined;
  /** The prices, with those of the provider's cache, and the limits; undefined if no price is known. */
  readonly pricing: ModelPricing | undefined;
  readonly abilities: Abilities;
  /** Where the abilities come from, if anything is known. */
  readonly abilitySource: FactSource | undefined;
  /** The region that would answer, as the caller's key or the operator chose it; undefined if that is unknown. */
  readonly region: string | undefined;
  /** Whether the access rules of the caller's key allow it; a call that goes to another target is rejected. */
  readonly isAllowed: boolean;
  /** Whether the caller may use it and has a credential for it, or it needs none. */
  readonly hasCredential: boolean;
  readonly health: TargetHealth;
  /** The health with the key that the next attempt would use; undefined if that is the key of the last one. */
  nextKeyHealth(): Promise<TargetHealth | undefined>;
  /** What this request will probably cost there; undefined if no price is known. */
  readonly expectedCost: ExpectedCost | undefined;
}

/** Where a fact about models comes from. */
export interface FactSource {
  /** The page; undefined for models that are part of Weir. */
  readonly source?: string | undefined;
  /** The day on which a maintainer last compared it with the page. */
  readonly checkedOn: string;
}

export interface ExpectedCost {
  readonly nanoUsd: NanoUsd;
  /** The same if the conversation had been here so far, so that the provider had cached what was sent last. */
  readonly stayingNanoUsd: NanoUsd;
  /** The same with nothing cached. */
  readonly coldNanoUsd: NanoUsd;
  /** The counted input, with the part that the provider has probably cached. */
  readonly inputTokens: number;
  readonly warmTokens: number;
  /** The mean of earlier answers to the account, at most what the request allows. */
  readonly outputTokens: number;
}
