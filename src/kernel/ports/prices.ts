import type { Usage } from '../message.ts';
import type { Bill } from '../money.ts';
import type { Target } from '../provider.ts';
import type { ModelPricing } from '../rate-card.ts';

/** What models cost at this moment. */
export interface Prices {
  /** Undefined where nobody knows any price of the provider. */
  priceOf(target: Target): ModelPricing | undefined;
  /** What a call cost, `answered` by the model of this name; undefined where nobody knows the price or told the usage. */
  bill(target: Target, usage: Usage, answered?: string): Bill | undefined;
}
