import type { Attempt } from '../attempt.ts';
import type { Exchange } from '../exchange.ts';
import { inputRatesOf } from '../input-rates.ts';
import type { Kit } from '../module.ts';
import { nanoOfPico } from '../money.ts';
import type { RateCard } from '../rate-card.ts';

/** The estimated tokens of texts that a module appended to messages. */
interface AppendedTokens {
  /** In the newest turn. */
  readonly fresh: number;
  /** In earlier turns. */
  readonly earlier: number;
}

/** Records the cost of appended texts in a call; their benefit isn't visible in a single call. */
export function recordAppendedCost(
  appendedTokens: AppendedTokens,
  { target }: Pick<Exchange, 'target'>,
  kit: Pick<Kit<unknown>, 'catalog' | 'onBilled' | 'addSaving'>,
): void {
  const card = kit.catalog.priceOf(target)?.card;
  if (card === undefined) return;
  kit.onBilled((attempts) => {
    const own = attempts.filter(({ isModuleCall, ending }) => !isModuleCall && ending?.how !== 'failed');
    const cost = own.reduce((sum, attempt) => sum + costOf(attempt, appendedTokens, card), 0);
    if (cost > 0) kit.addSaving(-cost);
  });
}

function costOf({ usage }: Attempt, { fresh, earlier }: AppendedTokens, card: RateCard): number {
  const rates = inputRatesOf(usage, card);
  return nanoOfPico(Math.round(fresh * rates.fresh + earlier * rates.earlier));
}
