import type { Prices } from '../kernel/ports/prices.ts';
import { costOf, type Priced } from '../kernel/rate-card.ts';
import { compileCard, type PriceSheet } from '../providers/catalog/price-sheet.ts';

/** One price for every model: dollars for a million tokens. */
export function testPrices(
  sheet: PriceSheet,
  limits: Pick<Priced, 'outputTokensMax' | 'contextTokens'> = {},
): Prices {
  const priced: Priced = { card: compileCard(sheet), estimated: false, ...limits };
  return {
    priced: () => priced,
    bill: (_target, usage) =>
      usage.input_tokens === undefined && usage.output_tokens === undefined
        ? undefined
        : { nanoUsd: costOf(priced.card, usage), estimated: false },
  };
}
