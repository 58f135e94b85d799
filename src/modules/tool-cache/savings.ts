import { type Exchange, formatUsd, inputRatesOf, type Kit, nanoOfPico } from '../../module-api.ts';
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
    const { fresh, earlier } = inputRatesOf(first.usage, card);
    const saved = savingAt(fresh, earlier);
    kit.addSaving(saved);
    kit.note({ saved: formatUsd(saved) });
  });
}
