import {
  type Attempt,
  type Exchange,
  formatUsd,
  type Kit,
  nanoOfPico,
  type RateCard,
} from '../../module-api.ts';
import { charsPerToken } from './limits.ts';
import type { ReferredResults } from './repeated-results.ts';

/** Notes the expected saving at once, because a stream's headers are sent before the bill, and the actual saving when billed. */
export function recordSavings(
  { target }: Exchange,
  { newestChars, earlierChars }: ReferredResults,
  kit: Pick<Kit<unknown>, 'catalog' | 'note' | 'onBilled' | 'addSaving'>,
): void {
  const card = kit.catalog.priceOf(target)?.card;
  if (card === undefined) return;
  const savingAt = (newestRate: number, earlierRate: number) =>
    nanoOfPico(Math.round((newestChars * newestRate + earlierChars * earlierRate) / charsPerToken));
  kit.note({ saved: formatUsd(savingAt(card.input, card.cacheRead)) });
  kit.onBilled((attempts) => {
    const first = attempts.find(({ isModuleCall }) => !isModuleCall);
    if (first === undefined || first.ending?.how === 'failed') return;
    const newestRate = newestRateOf(first, card);
    const hasRead = (first.usage.cache_read_input_tokens ?? 0) > 0;
    const saved = savingAt(newestRate, hasRead ? card.cacheRead : newestRate);
    kit.addSaving(saved);
    kit.note({ saved: formatUsd(saved) });
  });
}

/** The rate of what the provider hasn't cached. */
function newestRateOf({ usage }: Attempt, card: RateCard): number {
  if ((usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0) return card.cacheWriteHour;
  return (usage.cache_creation_input_tokens ?? 0) > 0 ? card.cacheWrite : card.input;
}
