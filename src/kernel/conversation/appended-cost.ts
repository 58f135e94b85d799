import type { Attempt } from '../attempt.ts';
import type { Exchange } from '../exchange.ts';
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

/** Priced like the surrounding tokens: earlier texts are read from the provider's cache if anything is. */
function costOf({ usage }: Attempt, { fresh, earlier }: AppendedTokens, card: RateCard): number {
  const isKept = (usage.cache_creation_input_tokens ?? 0) > 0;
  const hour = (usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0;
  const written = hour ? card.cacheWriteHour : card.cacheWrite;
  const added = isKept ? written : card.input;
  const read = (usage.cache_read_input_tokens ?? 0) > 0 ? card.cacheRead : added;
  return nanoOfPico(Math.round(fresh * added + earlier * read));
}
