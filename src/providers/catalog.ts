import {
  calcPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
} from '@pydantic/genai-prices';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { Usage } from '../kernel/message.ts';
import { type NanoUsd, nanoOfPico, type PicoUsdPerToken, picoPerToken } from '../kernel/money.ts';
import type { Provider } from '../kernel/provider.ts';

export interface ModelEntry {
  readonly id: string;
  /** For people. */
  readonly title: string;
  /** Names that the price data has for it besides its id, which isn't always one that the provider knows. */
  readonly otherNames: readonly string[];
  readonly contextTokens?: number;
  readonly rates: RateCard;
}

/** What a token costs, by kind; a dearer card may hold from some length of input on. */
interface RateCard {
  readonly input: PicoUsdPerToken;
  readonly output: PicoUsdPerToken;
  readonly cacheRead: PicoUsdPerToken;
  readonly cacheWrite: PicoUsdPerToken;
  readonly cacheWriteHour: PicoUsdPerToken;
  readonly longInput?: { readonly fromTokens: number; readonly rates: RateCard };
}

/** The models we know, with their prices. */
export class Catalog {
  readonly #found = new Lru<{ readonly entry: ModelEntry | undefined }>(limits.compiledPipelinesMax);

  find(provider: Provider, model: string): ModelEntry | undefined {
    const key = `${provider.name}/${model}`;
    let found = this.#found.get(key);
    if (found === undefined) {
      found = { entry: lookUp(provider, model) };
      this.#found.set(key, found);
    }
    return found.entry;
  }

  /** What a call cost; undefined where nobody knows the price or told the usage, which is never the same as free. */
  cost(provider: Provider, model: string, usage: Usage): NanoUsd | undefined {
    if (usage.input_tokens === undefined && usage.output_tokens === undefined) return undefined;
    const entry = this.find(provider, model);
    return entry === undefined ? undefined : costOf(entry.rates, usage);
  }

  /** The chat models of a provider: those that are billed for text in and text out. */
  list(provider: Provider): readonly ModelEntry[] {
    if (provider.local !== undefined) return provider.modelPrefixes.map((id) => builtIn(provider, id));
    if (provider.priceId === undefined) return [];
    const models = findProvider({ providerId: provider.priceId })?.models ?? [];
    return models.flatMap((model) => {
      const prices = Array.isArray(model.prices) ? model.prices.at(-1)?.prices : model.prices;
      if (model.deprecated === true || prices === undefined) return [];
      if (prices.input_mtok === undefined || prices.output_mtok === undefined) return [];
      return [entryOf(model, prices)];
    });
  }
}

function lookUp(provider: Provider, model: string): ModelEntry | undefined {
  if (provider.local !== undefined)
    return provider.modelPrefixes.includes(model) ? builtIn(provider, model) : undefined;
  if (provider.priceId === undefined) return undefined;
  const priced = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: provider.priceId });
  return priced === null || priced === undefined ? undefined : entryOf(priced.model, priced.model_price);
}

function builtIn({ title }: Provider, id: string): ModelEntry {
  return { id, title, otherNames: [], rates: freeRates };
}

function entryOf({ id, name, match, context_window }: ModelInfo, prices: ModelPrice): ModelEntry {
  const entry = { id, title: name ?? id, otherNames: namesIn(match), rates: rateCard(prices) };
  return context_window === undefined ? entry : { ...entry, contextTokens: context_window };
}

function namesIn(match: MatchLogic): readonly string[] {
  if ('equals' in match) return [match.equals];
  return 'or' in match ? match.or.flatMap(namesIn) : [];
}

function rateCard(prices: ModelPrice): RateCard {
  const base = ratesAt(prices, 0);
  const starts = Object.values(prices).flatMap((price) => (typeof price === 'object' ? price.tiers : []));
  const fromTokens = starts.reduce((least, tier) => Math.min(least, tier.start), Number.POSITIVE_INFINITY);
  return Number.isFinite(fromTokens)
    ? { ...base, longInput: { fromTokens, rates: ratesAt(prices, fromTokens + 1) } }
    : base;
}

function ratesAt(prices: ModelPrice, inputTokens: number): RateCard {
  const at = (name: string): PicoUsdPerToken | undefined => {
    const price = prices[name];
    if (price === undefined) return undefined;
    if (typeof price === 'number') return picoPerToken(price);
    const tier = price.tiers.findLast(({ start }) => inputTokens > start);
    return picoPerToken(tier?.price ?? price.base);
  };
  const input = at('input_mtok') ?? 0;
  const cacheWrite = at('cache_write_mtok') ?? input;
  return {
    input,
    output: at('output_mtok') ?? 0,
    cacheRead: at('cache_read_mtok') ?? input,
    cacheWrite,
    cacheWriteHour: at('cache_write_1h_mtok') ?? cacheWrite,
  };
}

function costOf(rates: RateCard, usage: Usage): NanoUsd {
  const input = usage.input_tokens ?? 0;
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const hour = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, written);
  const { longInput } = rates;
  const card =
    longInput !== undefined && input + read + written > longInput.fromTokens ? longInput.rates : rates;
  return nanoOfPico(
    input * card.input +
      read * card.cacheRead +
      (written - hour) * card.cacheWrite +
      hour * card.cacheWriteHour +
      (usage.output_tokens ?? 0) * card.output,
  );
}

const freeRates: RateCard = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
