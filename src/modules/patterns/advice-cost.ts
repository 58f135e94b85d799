import { type Attempt, type Exchange, type Kit, nanoOfPico, type RateCard } from '../../module-api.ts';
import { estimateTokens } from './advice.ts';

interface InjectedAdvice {
  /** Advice added by this call, and advice of earlier turns. */
  readonly fresh: string;
  readonly earlier: string;
}

/** Records the cost of advice in a call; its benefit isn't visible in a single call. */
export function recordAdviceCost(
  injectedAdvice: InjectedAdvice,
  { target }: Exchange,
  kit: Kit<unknown>,
): void {
  const card = kit.catalog.priceOf(target)?.card;
  if (card === undefined) return;
  kit.onBilled((attempts) => {
    const own = attempts.filter(({ isModuleCall, ending }) => !isModuleCall && ending?.how !== 'failed');
    const cost = own.reduce((sum, attempt) => sum + adviceCostOf(attempt, injectedAdvice, card), 0);
    if (cost > 0) kit.addSaving(-cost);
  });
}

/** Priced like the surrounding tokens: earlier advice is read from the provider's cache if anything is. */
function adviceCostOf({ usage }: Attempt, { fresh, earlier }: InjectedAdvice, card: RateCard): number {
  const isKept = (usage.cache_creation_input_tokens ?? 0) > 0;
  const hour = (usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0;
  const written = hour ? card.cacheWriteHour : card.cacheWrite;
  const added = isKept ? written : card.input;
  const read = (usage.cache_read_input_tokens ?? 0) > 0 ? card.cacheRead : added;
  return nanoOfPico(Math.round(estimateTokens(fresh) * added + estimateTokens(earlier) * read));
}
