import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Iteration, Usage } from '../../kernel/message.ts';
import { type Bill, type NanoUsd, nanoOfUsd } from '../../kernel/money.ts';
import { modelBehind, type Provider } from '../../kernel/provider.ts';
import { costOf, type Priced, type RateCard } from '../../kernel/rate-card.ts';
import type { ModelEntry } from './model-entry.ts';
import { ModelIndex } from './model-index.ts';
import { isChat, isOfProvider } from './model-names.ts';
import { overlays } from './overlay/index.ts';
import { anyModel, type PriceOverrides } from './price-overrides.ts';
import { cardAt, cardsOn, compileSchedule, dayLengthMs } from './price-schedule.ts';
import { dearestCard, freeSheet } from './price-sheet.ts';

/** What is to be billed: the model that was asked for, and the one that answered where that said so. */
export interface Billed {
  readonly provider: Provider;
  readonly model: string;
  readonly answered?: string | undefined;
}

export interface CatalogParts {
  readonly clock?: Clock;
  readonly overrides?: PriceOverrides | undefined;
}

/** The models we know, with their limits and prices. */
export class Catalog {
  readonly #clock: Clock;
  readonly #overrides: PriceOverrides | undefined;
  readonly #indexes = new Map<string, ModelIndex>();
  readonly #estimates = new Map<string, Estimate>();
  /** As they were last asked for. */
  readonly #priced = new WeakMap<PricedModel, Priced>();

  constructor({ clock = systemClock, overrides }: CatalogParts = {}) {
    this.#clock = clock;
    this.#overrides = overrides;
  }

  /** A model that is known by this name; what only follows from a rule for all others isn't. */
  find(provider: Provider, model: string): ModelEntry | undefined {
    const behind = modelBehind({ provider, model });
    const entry =
      provider.local === undefined ? this.#index(provider).find(behind) : builtIn(provider, model);
    const known = entry === undefined || behind === model ? entry : { ...entry, id: model, otherNames: [] };
    const set = this.#overrides?.find(provider.name, model) ?? this.#overrides?.find(provider.name, behind);
    return set === undefined ? known : { ...(known ?? named(model)), ...set };
  }

  /** The price of a model now; undefined where nobody knows any price of its provider. */
  priced(provider: Provider, model: string, atMs = this.#clock.now()): Priced | undefined {
    const entry = this.find(provider, model) ?? this.#overrides?.find(provider.name, anyModel);
    if (entry !== undefined) return this.#pricedEntry(entry, atMs);
    if (provider.free === true || provider.local !== undefined) return free;
    return this.#estimate(provider, atMs);
  }

  /**
   * What a call cost; undefined where nobody knows the price or told the usage, which is never the same as free. A
   * provider that says what it charged is believed before our own sums, but not before a price that the operator set.
   */
  bill(billed: Billed, usage: Usage, atMs = this.#clock.now()): Bill | undefined {
    const { provider } = billed;
    const set = this.#overrides?.find(provider.name, billed.model);
    if (provider.reportsCost === true && typeof usage.cost === 'number' && set === undefined)
      return { nanoUsd: nanoOfUsd(Math.max(0, usage.cost)), estimated: false };
    if (usage.input_tokens === undefined && usage.output_tokens === undefined) return undefined;
    const model = set === undefined ? this.#servedBy(billed) : billed.model;
    const priced = this.priced(provider, model, atMs);
    if (priced === undefined) return undefined;
    const { iterations } = usage;
    if (!Array.isArray(iterations) || iterations.length === 0)
      return { nanoUsd: costOf(priced.card, usage), estimated: priced.estimated };
    return this.#billPasses({ provider, model, atMs }, usage, iterations);
  }

  cost(provider: Provider, model: string, usage: Usage): NanoUsd | undefined {
    return this.bill({ provider, model }, usage)?.nanoUsd;
  }

  /** The chat models that a provider offers: those that are billed for text in and text out. */
  list(provider: Provider): readonly ModelEntry[] {
    if (provider.local !== undefined)
      return provider.modelPrefixes.flatMap((id) => builtIn(provider, id) ?? []);
    if (provider.customersName === true)
      return [...(provider.deployments?.keys() ?? [])].flatMap((name) => this.find(provider, name) ?? []);
    return this.#all(provider);
  }

  #all(provider: Provider): readonly ModelEntry[] {
    const known = this.#index(provider).entries.filter((entry) => isListed(entry, provider));
    const set = (this.#overrides?.models(provider.name) ?? []).filter((model) => model !== anyModel);
    return [
      ...known.filter(({ id }) => !set.includes(id)),
      ...set.flatMap((model) => this.find(provider, model) ?? []),
    ];
  }

  /** Models are replaced by others under their old names, and routers choose: what answered is what is billed. */
  #servedBy({ provider, model, answered }: Billed): string {
    if (answered === undefined || answered === '' || answered === model || provider.billsAsAsked === true)
      return model;
    return this.find(provider, answered) === undefined ? model : answered;
  }

  /** The counts of the whole leave out passes by other models; each pass has the price of its own model and length. */
  #billPasses(
    { provider, model, atMs }: Served,
    whole: Usage,
    passes: readonly Iteration[],
  ): Bill | undefined {
    let nanoUsd = 0;
    let estimated = false;
    for (const [at, pass] of passes.entries()) {
      const priced = this.priced(provider, pass.model ?? model, atMs);
      if (priced === undefined) return undefined;
      const { service_tier = null, speed = null, inference_geo = null, server_tool_use = null } = whole;
      const searches = at === 0 ? server_tool_use : null;
      const told = { service_tier, speed, inference_geo, server_tool_use: searches };
      nanoUsd += costOf(priced.card, { ...pass, ...told });
      estimated ||= priced.estimated;
    }
    return { nanoUsd, estimated };
  }

  #pricedEntry(entry: PricedModel, atMs: number): Priced {
    const card = cardAt(entry.prices, atMs);
    const known = this.#priced.get(entry);
    if (known?.card === card) return known;
    const priced = pricedEntry(entry, card);
    this.#priced.set(entry, priced);
    return priced;
  }

  #index(provider: Provider): ModelIndex {
    let index = this.#indexes.get(provider.name);
    if (index === undefined) {
      index = new ModelIndex(provider.priceId, overlays.get(provider.name) ?? { models: [] });
      this.#indexes.set(provider.name, index);
    }
    return index;
  }

  /** Once a day: prices change at any hour, and the dearest of the day holds for all of it. */
  #estimate(provider: Provider, atMs: number): Priced | undefined {
    const day = Math.floor(atMs / dayLengthMs);
    const known = this.#estimates.get(provider.name);
    if (known?.day === day) return known.priced;
    const models = this.#all(provider);
    const card = dearestCard(models.flatMap(({ prices }) => cardsOn(prices, day * dayLengthMs)));
    const outputTokensMax = Math.max(0, ...models.map((entry) => outputBound(entry) ?? 0));
    const contextTokens = Math.max(0, ...models.map((entry) => entry.contextTokens ?? 0));
    const priced = card && {
      card,
      estimated: true,
      ...(outputTokensMax > 0 && { outputTokensMax }),
      ...(contextTokens > 0 && { contextTokens }),
    };
    this.#estimates.set(provider.name, { day, priced });
    return priced;
  }
}

interface Estimate {
  readonly day: number;
  readonly priced: Priced | undefined;
}

interface Served {
  readonly provider: Provider;
  readonly model: string;
  readonly atMs: number;
}

function pricedEntry(entry: PricedModel, card: RateCard): Priced {
  const { contextTokens, cacheSeconds, toolSearch, contextEditing } = entry;
  const outputTokensMax = outputBound(entry);
  return {
    card,
    estimated: false,
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...(toolSearch !== undefined && { toolSearch }),
    ...(contextEditing !== undefined && { contextEditing }),
  };
}

type PricedModel = Pick<ModelEntry, 'prices' | Limits>;
type Limits = 'contextTokens' | 'outputTokensMax' | 'cacheSeconds' | 'toolSearch' | 'contextEditing';

/** An answer is part of the context, so where nothing else limits it the window does. */
function outputBound({ outputTokensMax, contextTokens }: Pick<ModelEntry, Limits>): number | undefined {
  return outputTokensMax ?? contextTokens;
}

function isListed({ id, otherNames, offered }: ModelEntry, provider: Provider): boolean {
  return offered && [id, ...otherNames].some((name) => isOfProvider(name, provider) && isChat(name));
}

const freePrices = compileSchedule([freeSheet]);
const free: Priced = { card: cardAt(freePrices, 0), estimated: false };

function named(id: string): Omit<ModelEntry, 'prices'> {
  return { id, title: id, otherNames: [], offered: true };
}

function builtIn({ title, modelPrefixes }: Provider, id: string): ModelEntry | undefined {
  if (!modelPrefixes.includes(id)) return undefined;
  return { ...named(id), title, prices: freePrices };
}
