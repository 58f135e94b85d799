import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, isCost, numberOf, objectOf, omitUndefined, stringOf } from '../json-values.ts';

interface TokenCounts {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  /** How much of it stays for twelve hours. */
  readonly longCacheWrite?: number | undefined;
  readonly reasoning: number | undefined;
  readonly audioInput?: number | undefined;
  /** Seconds of audio in the prompt. */
  readonly audioInputSeconds?: number | undefined;
  readonly audioOutput?: number | undefined;
}

/** The prompt count includes cache reads and writes; the canonical one excludes them. */
export function usageFromCounts(tokenCounts: TokenCounts): Usage {
  const counts = addUncountedAudio(addUncountedCacheReads(tokenCounts));
  const { prompt, cacheRead, audioInput = 0, audioOutput = 0 } = counts;
  const written = clampCacheWrite(counts);
  const thought = reasoningTokensOf(counts);
  return omitUndefined({
    input_tokens: prompt === undefined ? undefined : Math.max(0, prompt - (cacheRead ?? 0) - (written ?? 0)),
    output_tokens: outputTokensOf(counts),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: written,
    cache_creation: cacheLifetimes(written, counts.longCacheWrite),
    output_tokens_details: thought === undefined ? undefined : { thinking_tokens: thought },
    input_audio_tokens: audioInput > 0 ? audioInput : undefined,
    output_audio_tokens: audioOutput > 0 ? audioOutput : undefined,
  });
}

/** Cache reads above the prompt count were not included in it, or, if the total has no room for them, didn't happen. */
function addUncountedCacheReads(tokenCounts: TokenCounts): TokenCounts {
  const { prompt, cacheRead = 0, total } = tokenCounts;
  if (prompt === undefined || cacheRead <= prompt) return tokenCounts;
  const hasRoom =
    total === undefined ||
    tokenCounts.completion === undefined ||
    unaccountedTokens(tokenCounts) >= cacheRead;
  return hasRoom ? { ...tokenCounts, prompt: prompt + cacheRead } : { ...tokenCounts, cacheRead: 0 };
}

/** Mistral counts audio apart from the prompt. */
function addUncountedAudio(tokenCounts: TokenCounts): TokenCounts {
  const { prompt, audioInput = 0, audioInputSeconds = 0 } = tokenCounts;
  if (prompt === undefined || (audioInput === 0 && audioInputSeconds === 0)) return tokenCounts;
  const left = unaccountedTokens(tokenCounts);
  const uncounted =
    audioInputSeconds > 0 && audioInput === 0
      ? left
      : audioInput > prompt || left >= audioInput
        ? audioInput
        : 0;
  return { ...tokenCounts, prompt: prompt + uncounted, audioInput: Math.max(audioInput, uncounted) };
}

/** Other billing factors; `answer` is the object that contains the usage. */
export function billingOf(usage: JsonObject, answer: JsonObject): Pick<Usage, 'service_tier' | 'cost'> {
  const tier = stringOf(usage.service_tier) ?? stringOf(answer.service_tier) ?? '';
  return omitUndefined({ service_tier: defaultTiers.has(tier) ? undefined : tier, cost: costOf(usage) });
}

/** Names of the default tier. */
const defaultTiers: ReadonlySet<string> = new Set(['', 'auto', 'default', 'standard', 'on_demand']);

/** With the caller's own vendor key, routers bill only their share; xAI counts in ticks. */
function costOf(usage: JsonObject): number | undefined {
  const ticks = numberOf(usage.cost_in_usd_ticks);
  const cost = numberOf(usage.cost) ?? (ticks === undefined ? undefined : ticks / 1e10);
  if (cost === undefined || usage.is_byok !== true) return plausibleCost(cost);
  return plausibleCost(cost + (numberOf(objectOf(usage.cost_details)?.upstream_inference_cost) ?? 0));
}

function plausibleCost(cost: number | undefined): number | undefined {
  return isCost(cost) ? cost : undefined;
}

/** Some providers count a token as both read and written; it was still sent once. */
function clampCacheWrite({ cacheWrite, prompt, cacheRead = 0 }: TokenCounts): number | undefined {
  if (cacheWrite === undefined || prompt === undefined) return cacheWrite;
  return Math.max(0, Math.min(cacheWrite, prompt - cacheRead));
}

/** OpenAI's two lifetimes, under the names for shorter and longer ones. */
function cacheLifetimes(written = 0, long = 0): Usage['cache_creation'] {
  if (long === 0) return undefined;
  const hour = Math.min(long, written);
  return { ephemeral_5m_input_tokens: written - hour, ephemeral_1h_input_tokens: hour };
}

/** The number of tokens in `details` that were written to the cache for twelve hours. */
export function longCacheWriteIn(details: JsonObject | undefined): number | undefined {
  return countOf(objectOf(details?.cache_write_tokens_details)?.ttl_12h_tokens);
}

/** The completion count includes reasoning; if a provider excludes it, the total reveals it. */
function outputTokensOf(counts: TokenCounts): number | undefined {
  const { completion } = counts;
  return completion === undefined ? undefined : completion + unaccountedTokens(counts);
}

function reasoningTokensOf(counts: TokenCounts): number | undefined {
  const { reasoning } = counts;
  const left = unaccountedTokens(counts);
  return reasoning === undefined && left > 0 ? left : reasoning;
}

/** Tokens in the total that are in neither part. */
function unaccountedTokens({ prompt, completion, total }: TokenCounts): number {
  if (prompt === undefined || completion === undefined || total === undefined) return 0;
  return Math.max(0, total - prompt - completion);
}
