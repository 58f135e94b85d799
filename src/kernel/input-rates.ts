import type { Usage } from './message.ts';
import type { PicoUsdPerToken } from './money.ts';
import type { RateCard } from './rate-card.ts';

export interface InputRates {
  /** For input that is new to the provider's cache. */
  readonly fresh: PicoUsdPerToken;
  /** For input that an earlier call of the conversation had, too. */
  readonly earlier: PicoUsdPerToken;
}

/** What a provider charged for a token of a call's input: it writes new input to its cache if it wrote anything, and read earlier input if it read anything. */
export function inputRatesOf(usage: Usage, card: RateCard): InputRates {
  const fresh = freshRateOf(usage, card);
  return { fresh, earlier: (usage.cache_read_input_tokens ?? 0) > 0 ? card.cacheRead : fresh };
}

function freshRateOf(usage: Usage, card: RateCard): PicoUsdPerToken {
  if ((usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0) return card.cacheWriteHour;
  return (usage.cache_creation_input_tokens ?? 0) > 0 ? card.cacheWrite : card.input;
}
