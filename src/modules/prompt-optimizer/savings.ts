import {
  type Attempt,
  type Exchange,
  formatUsd,
  inputRatesOf,
  type Kit,
  nanoOfPico,
  type RateCard,
  type Usage,
} from '../../module-api.ts';
import { charsPerToken } from './limits.ts';

/** What the module changed in a call. */
export interface CallChanges {
  /** Whether nothing would be cached without the markers that it set. */
  readonly isUnmarkedClient: boolean;
  /** Whether it sent the instructions of an earlier call, so that the provider found its cache. */
  readonly hasKeptSystem: boolean;
  /** Characters that were omitted from new and from earlier tool results. */
  readonly omittedChars: { readonly fresh: number; readonly earlier: number };
}

/** Reports the savings when the call is billed, by the provider's own counts. */
export function recordSavings(exchange: Exchange, changes: CallChanges, kit: Kit<unknown>): void {
  const card = kit.catalog.priceOf(exchange.target)?.card;
  const { isUnmarkedClient, hasKeptSystem, omittedChars } = changes;
  if (card === undefined) return;
  if (!isUnmarkedClient && !hasKeptSystem && omittedChars.fresh + omittedChars.earlier === 0) return;
  kit.onBilled((attempts) => {
    const saved = attempts.reduce((sum, attempt) => sum + savingOf(attempt, changes, card), 0);
    if (saved === 0) return;
    kit.addSaving(saved);
    kit.note({ saved: formatUsd(saved) });
  });
}

function savingOf({ usage, isModuleCall, ending }: Attempt, changes: CallChanges, card: RateCard): number {
  if (isModuleCall || ending?.how === 'failed') return 0;
  return nanoOfPico(Math.round(savedByCache(usage, changes, card) + savedByOmission(usage, changes, card)));
}

/** The price of the same input without the markers; with the client's own, if other instructions had made it all new. */
function savedByCache(
  usage: Usage,
  { isUnmarkedClient, hasKeptSystem }: CallChanges,
  card: RateCard,
): number {
  if (!isUnmarkedClient && !hasKeptSystem) return 0;
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
  const hour = Math.min(written, usage.cache_creation?.ephemeral_1h_input_tokens ?? 0);
  const paid = read * card.cacheRead + (written - hour) * card.cacheWrite + hour * card.cacheWriteHour;
  return (read + written) * (isUnmarkedClient ? card.input : card.cacheWrite) - paid;
}

function savedByOmission(usage: Usage, { omittedChars }: CallChanges, card: RateCard): number {
  const { fresh, earlier } = inputRatesOf(usage, card);
  return (omittedChars.fresh * fresh + omittedChars.earlier * earlier) / charsPerToken;
}
