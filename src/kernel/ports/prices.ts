import type { Usage } from '../message.ts';
import type { Bill } from '../money.ts';
import type { Target } from '../provider.ts';
import type { ModelPricing } from '../rate-card.ts';

/** The current prices of models. */
export interface Prices {
  /** Undefined if no price of the provider is known. */
  priceOf(target: Target): ModelPricing | undefined;
  /** The cost of a call answered by this model; undefined if the price or the usage is unknown. */
  bill(target: Target, usage: Usage, answered?: string): Bill | undefined;
}
