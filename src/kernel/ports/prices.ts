import type { Usage } from '../message.ts';
import type { Bill } from '../money.ts';
import type { Target } from '../provider.ts';
import type { ModelPricing } from '../rate-card.ts';

/** What a bill depends on besides the usage. */
interface BilledAnswer {
  /** The model that answered, if reported. */
  readonly model?: string | undefined;
  /** A refusal before any output. */
  readonly refusal?: Refusal | undefined;
}

export interface Refusal {
  /** Null if the provider names none, undefined if it doesn't report it. */
  readonly category: string | null | undefined;
}

/** The prices of models. */
export interface Prices {
  /** The price at a time, now unless it is given; undefined if no price of the provider is known. */
  priceOf(target: Target, atMs?: number): ModelPricing | undefined;
  /** The cost of a call with this answer; undefined if the price or the usage is unknown. */
  bill(target: Target, usage: Usage, answer?: BilledAnswer): Bill | undefined;
}
