import type { Tool, Usage } from './message.ts';
import { type NanoUsd, nanoOfPico, type PicoUsd, type PicoUsdPerToken } from './money.ts';

/** What one token of each kind costs, and one of what is sold by the piece. */
export interface Rates {
  readonly input: PicoUsdPerToken;
  readonly output: PicoUsdPerToken;
  readonly cacheRead: PicoUsdPerToken;
  /** What stays in the provider's cache for minutes. */
  readonly cacheWrite: PicoUsdPerToken;
  /** What stays there for an hour or longer. */
  readonly cacheWriteHour: PicoUsdPerToken;
  readonly audioInput: PicoUsdPerToken;
  readonly audioOutput: PicoUsdPerToken;
  readonly webSearch: PicoUsd;
  readonly fileSearch: PicoUsd;
  readonly request: PicoUsd;
}

/** The price of a model, ready to multiply. */
export interface RateCard extends Rates {
  /** What holds for the whole of a call whose input is longer than this. */
  readonly longInput?: { readonly aboveTokens: number; readonly rates: Rates };
  /** Thousandths of the token rates for a tier, a speed or a region, by the name that a provider reports. */
  readonly factors: Readonly<Record<string, number>>;
}

/** A price that was found for a model. */
export interface ModelPricing {
  readonly card: RateCard;
  /** The model isn't in the catalogue: the dearest of its provider stands in for it. */
  readonly estimated: boolean;
  /** No answer has more tokens than this, where that is known. */
  readonly outputTokensMax?: number;
  /** What the model can read and say together, where that is known. */
  readonly contextTokens?: number;
  /** How long its provider keeps what it has read, where that is known. */
  readonly cacheSeconds?: number;
  /** How the model looks for tools that have `defer_loading`, where its provider has a way. */
  readonly toolSearch?: ToolSearch;
  /** What its provider can leave out of a conversation by itself. */
  readonly contextEditing?: ContextEditing;
}

/** A provider's own way to leave out results of old calls. */
export interface ContextEditing {
  /** The format in which it can be asked for. */
  readonly wire: string;
  /** The name of the edit. */
  readonly clearsToolUses: string;
}

/** A provider's own search for tools that are there and not loaded. */
export interface ToolSearch {
  readonly tool: Tool;
  /** The format in which it can be asked for. */
  readonly wire: string;
  /** The model reads names and descriptions of all tools at once, and only their schemas when it has looked for them. */
  readonly showsDescriptions?: true;
}

/** What a call cost, in trillionths of a dollar by kind: the parts add up to the whole. */
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
    fileSearch: toCount(usage.server_tool_use?.file_search_requests) * rates.fileSearch,
    request: rates.request,
  };
}

export function costOf(card: RateCard, usage: Usage): NanoUsd {
  const parts = costParts(card, usage);
  return nanoOfPico(
    parts.input +
      parts.output +
      parts.cacheRead +
      parts.cacheWrite +
      parts.cacheWriteHour +
      parts.audioInput +
      parts.audioOutput +
      parts.webSearch +
      parts.fileSearch +
      parts.request,
  );
}

/** What is known of a call before it is made. */
export interface CostBound extends Pick<Usage, 'service_tier' | 'speed' | 'inference_geo'> {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the call asks for a cache that lasts for an hour or longer. */
  readonly hourCache?: boolean;
  /** Whether nothing can be heard in it, neither in the question nor in the answer. */
  readonly hasNoAudio?: boolean;
}

/** The most that tokens within these bounds can cost, however they turn out to be billed; searches come on top. */
export function costCeiling(card: RateCard, bound: CostBound): NanoUsd {
  const rates = ratesFor(card, bound.inputTokens);
  const thousandths = factorOf(card, bound);
  const input = Math.max(
    rates.input,
    rates.cacheRead,
    rates.cacheWrite,
    bound.hasNoAudio === true ? 0 : rates.audioInput,
    bound.hourCache === true ? rates.cacheWriteHour : 0,
  );
  const output = Math.max(rates.output, bound.hasNoAudio === true ? 0 : rates.audioOutput);
  return nanoOfPico(
    toCount(bound.inputTokens) * scaleRate(input, thousandths) +
      toCount(bound.outputTokens) * scaleRate(output, thousandths) +
      rates.request,
  );
}

function ratesFor(card: RateCard, inputTokens: number): Rates {
  const { longInput } = card;
  return longInput !== undefined && inputTokens > longInput.aboveTokens ? longInput.rates : card;
}

/** A name that isn't on the card changes nothing. */
function factorOf({ factors }: RateCard, { service_tier, speed, inference_geo }: Qualifiers): number {
  let thousandths = 1000;
  for (const name of [service_tier, speed, inference_geo])
    if (name != null && Object.hasOwn(factors, name))
      thousandths = Math.ceil((thousandths * (factors[name] ?? 1000)) / 1000);
  return thousandths;
}

type Qualifiers = Pick<Usage, 'service_tier' | 'speed' | 'inference_geo'>;

/** The rate is rounded and not the sum, so that parts stay whole numbers. */
function scaleRate(rate: number, thousandths: number): number {
  return thousandths === 1000 ? rate : Math.ceil((rate * thousandths) / 1000);
}

/** Counts come from another party: nothing below zero, and no fractions. */
function toCount(told: number | undefined): number {
  return told !== undefined && told > 0 ? Math.ceil(told) : 0;
}
