import type { Tool, Units, Usage } from './message.ts';
import { type NanoUsd, nanoOfPico, type PicoUsd, type PicoUsdPerToken } from './money.ts';
import { factorOf, hasAssumedFactor, type Qualifiers, type RateFactors } from './rate-factors.ts';

/** The price per token of each kind, and per unit of what is sold by the piece. */
export interface Rates {
  readonly input: PicoUsdPerToken;
  readonly output: PicoUsdPerToken;
  readonly cacheRead: PicoUsdPerToken;
  /** Writes to the provider's cache with a lifetime of minutes. */
  readonly cacheWrite: PicoUsdPerToken;
  /** Writes with a lifetime of an hour or longer. */
  readonly cacheWriteHour: PicoUsdPerToken;
  readonly audioInput: PicoUsdPerToken;
  readonly audioOutput: PicoUsdPerToken;
  readonly webSearch: PicoUsd;
  /** Searches with OpenAI's `web_search_preview`. */
  readonly previewSearch: PicoUsd;
  readonly fileSearch: PicoUsd;
  readonly request: PicoUsd;
}

/** The prices of tokens of pictures and of cached media, where they differ, and of what is billed by the piece. */
export interface MediaRates {
  readonly imageInput?: PicoUsdPerToken;
  readonly imageOutput?: PicoUsdPerToken;
  readonly audioRead?: PicoUsdPerToken;
  readonly imageRead?: PicoUsdPerToken;
  readonly units: UnitRates;
}

type UnitRates = { readonly [Kind in keyof Units]?: PicoUsd };

/** The price of a model, prepared for multiplication. */
export interface RateCard extends Rates, RateFactors {
  readonly media?: MediaRates;
  /** Rates for the whole call if its input is longer than this. */
  readonly longInput?: { readonly aboveTokens: number; readonly rates: Rates };
}

/** The price and limits of a model. */
export interface ModelPricing {
  readonly card: RateCard;
  /** Whether the model isn't in the catalog, so that the most expensive one of its provider is used. */
  readonly estimated: boolean;
  /** The maximum output tokens, if known. */
  readonly outputTokensMax?: number;
  /** The context window, if known. */
  readonly contextTokens?: number;
  /** How long its provider caches input, if known. */
  readonly cacheSeconds?: number;
  /** Whether a call may request a cache of an hour. */
  readonly hasHourCache?: true;
  /** How the model searches for tools with `defer_loading`, if its provider supports that. */
  readonly toolSearch?: ToolSearch;
  /** What its provider can remove from a conversation itself. */
  readonly contextEditing?: ContextEditing;
}

/** A provider's feature to remove results of old tool calls. */
export interface ContextEditing {
  /** The format that supports it. */
  readonly wire: string;
  /** The name of the edit. */
  readonly clearsToolUses: string;
}

/** A provider's search for deferred tools. */
export interface ToolSearch {
  readonly tool: Tool;
  /** The format that supports it. */
  readonly wire: string;
  /** Whether the model reads the names and descriptions of all tools at once, and only their schemas after a search. */
  readonly showsDescriptions?: true;
}

/** The cost of a call in trillionths of a dollar by kind; the parts add up to the total. */
export type CostParts = { readonly [Kind in keyof Rates]: PicoUsd };

export function costParts(card: RateCard, usage: Usage): CostParts {
  const input = toCount(usage.input_tokens);
  const output = toCount(usage.output_tokens);
  const read = toCount(usage.cache_read_input_tokens);
  const written = toCount(usage.cache_creation_input_tokens);
  const hour = Math.min(toCount(usage.cache_creation?.ephemeral_1h_input_tokens), written);
  const heard = Math.min(toCount(usage.input_audio_tokens), input);
  const spoken = Math.min(toCount(usage.output_audio_tokens), output);
  const rates = ratesFor(card, input + read + written);
  const thousandths = factorOf(card, usage);
  return {
    input: (input - heard) * scaleRate(rates.input, thousandths),
    output: (output - spoken) * scaleRate(rates.output, thousandths),
    cacheRead: read * scaleRate(rates.cacheRead, thousandths),
    cacheWrite: (written - hour) * scaleRate(rates.cacheWrite, thousandths),
    cacheWriteHour: hour * scaleRate(rates.cacheWriteHour, thousandths),
    audioInput: heard * scaleRate(rates.audioInput, thousandths),
    audioOutput: spoken * scaleRate(rates.audioOutput, thousandths),
    webSearch: toCount(usage.server_tool_use?.web_search_requests) * rates.webSearch,
    previewSearch: toCount(usage.server_tool_use?.preview_search_requests) * rates.previewSearch,
    fileSearch: toCount(usage.server_tool_use?.file_search_requests) * rates.fileSearch,
    request: rates.request,
  };
}

export function costOf(card: RateCard, usage: Usage): NanoUsd {
  const parts = costParts(card, usage);
  return nanoOfPico(
    mediaCost(card, usage) +
      parts.input +
      parts.output +
      parts.cacheRead +
      parts.cacheWrite +
      parts.cacheWriteHour +
      parts.audioInput +
      parts.audioOutput +
      parts.webSearch +
      parts.previewSearch +
      parts.fileSearch +
      parts.request,
  );
}

/** What units cost, and what tokens of pictures and of cached media cost beyond other tokens. */
function mediaCost({ media, input, output, cacheRead }: RateCard, usage: Usage): PicoUsd {
  if (media === undefined) return 0;
  const { imageInput = input, imageOutput = output, audioRead = cacheRead, imageRead = cacheRead } = media;
  const seen = Math.min(toCount(usage.input_image_tokens), toCount(usage.input_tokens));
  const drawn = Math.min(toCount(usage.output_image_tokens), toCount(usage.output_tokens));
  const read = toCount(usage.cache_read_input_tokens);
  const heardBefore = Math.min(toCount(usage.cache_read_audio_tokens), read);
  const seenBefore = Math.min(toCount(usage.cache_read_image_tokens), read - heardBefore);
  return (
    seen * (imageInput - input) +
    drawn * (imageOutput - output) +
    heardBefore * (audioRead - cacheRead) +
    seenBefore * (imageRead - cacheRead) +
    unitCost(media.units, usage.units)
  );
}

function unitCost(rates: UnitRates, units: Units = {}): PicoUsd {
  let cost = 0;
  for (const kind of unitKinds) cost += toCount(units[kind]) * (rates[kind] ?? 0);
  return cost;
}

export const unitKinds = ['images', 'seconds', 'characters', 'searches'] as const satisfies (keyof Units)[];

/** Whether a usage without tokens has no unit with a price. */
export function isUnpriced({ media }: RateCard, { input_tokens, output_tokens, units = {} }: Usage): boolean {
  if (input_tokens !== undefined || output_tokens !== undefined) return false;
  return !unitKinds.some((kind) => units[kind] !== undefined && media?.units[kind] !== undefined);
}

/** Whether the cost rests on an assumption: a tier without a known rate, or a fee that the price list doesn't have. */
export function isCostAssumed(card: RateCard, usage: Usage): boolean {
  if (hasAssumedFactor(card, usage)) return true;
  const { assumed } = card;
  const { server_tool_use: tools } = usage;
  if (tools != null && toCount(tools.unpriced_requests) > 0) return true;
  if (assumed === undefined) return false;
  return (
    (assumed.has('cacheWriteHour') && toCount(usage.cache_creation?.ephemeral_1h_input_tokens) > 0) ||
    (assumed.has('webSearch') && toCount(tools?.web_search_requests) > 0) ||
    (assumed.has('previewSearch') && toCount(tools?.preview_search_requests) > 0) ||
    (assumed.has('fileSearch') && toCount(tools?.file_search_requests) > 0)
  );
}

/** What is known of a call before it is made. */
export interface CostBound extends Qualifiers {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the call requests a cache of an hour or longer. */
  readonly hourCache?: boolean;
  /** Whether neither input nor output contains audio. */
  readonly hasNoAudio?: boolean;
  readonly units?: Units;
}

/** The maximum cost of tokens within these bounds, however they are billed; without searches. */
export function costCeiling(card: RateCard, bound: CostBound): NanoUsd {
  const rates = ratesFor(card, bound.inputTokens);
  // A provider may serve a call in its default tier.
  const thousandths = Math.max(factorOf(card, bound), factorOf(card, { ...bound, service_tier: null }));
  const input = Math.max(
    rates.input,
    rates.cacheRead,
    rates.cacheWrite,
    card.media?.imageInput ?? 0,
    card.media?.imageRead ?? 0,
    bound.hasNoAudio === true ? 0 : (card.media?.audioRead ?? 0),
    bound.hasNoAudio === true ? 0 : rates.audioInput,
    bound.hourCache === true ? rates.cacheWriteHour : 0,
  );
  const output = Math.max(
    rates.output,
    bound.hasNoAudio === true ? 0 : rates.audioOutput,
    card.media?.imageOutput ?? 0,
  );
  return nanoOfPico(
    unitCost(card.media?.units ?? {}, bound.units) +
      toCount(bound.inputTokens) * scaleRate(input, thousandths) +
      toCount(bound.outputTokens) * scaleRate(output, thousandths) +
      rates.request,
  );
}

function ratesFor(card: RateCard, inputTokens: number): Rates {
  const { longInput } = card;
  return longInput !== undefined && inputTokens > longInput.aboveTokens ? longInput.rates : card;
}

/** Rounds the rate and not the sum, so that parts stay integers. */
function scaleRate(rate: number, thousandths: number): number {
  return thousandths === 1000 ? rate : Math.ceil((rate * thousandths) / 1000);
}

/** Counts are external: no negatives and no fractions. */
function toCount(count: number | undefined): number {
  return count !== undefined && count > 0 ? Math.ceil(count) : 0;
}
