import type { Prices } from '../kernel/ports/prices.ts';
import { costOf, type ModelPricing } from '../kernel/rate-card.ts';
import { compileCard, type PriceSheet } from '../providers/catalog/price-sheet.ts';

/** The same prices for every model, in dollars per million tokens. */
export function testPrices(
  sheet: PriceSheet,
  limits: Pick<ModelPricing, 'outputTokensMax' | 'contextTokens'> = {},
): Prices {
  const modelPricing: ModelPricing = { card: compileCard(sheet), estimated: false, ...limits };
  return {
    priceOf: () => modelPricing,
    bill: (_target, usage) =>
      usage.input_tokens === undefined && usage.output_tokens === undefined
        ? undefined
        : { nanoUsd: costOf(modelPricing.card, usage), estimated: false },
  };
}
