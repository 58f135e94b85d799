import type { Iteration, Usage } from '../../kernel/message.ts';
import { type Bill, type NanoUsd, nanoOfUsd } from '../../kernel/money.ts';
import type { Refusal } from '../../kernel/ports/prices.ts';
import { isOffered, kindOf, type Provider, underlyingModelOf } from '../../kernel/provider.ts';
import {
  costOf,
  isCostAssumed,
  isUnpriced,
  type ModelPricing,
  type RateCard,
} from '../../kernel/rate-card.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { ModelEntry } from './model-entry.ts';
import { ModelIndex } from './model-index.ts';
import { hasProviderPrefix, isChatModel } from './model-names.ts';
import { overlays } from './overlay/index.ts';
import { anyModel, type PriceOverrides } from './price-overrides.ts';
import { cardAt, cardsOn, dayLengthMs, freePrices, type PriceSchedule } from './price-schedule.ts';
import { mostExpensiveCard } from './price-sheet.ts';
import { isRefusalBilled } from './refusals.ts';

/** The requested model and, if the provider named it, the model that answered. */
export interface BilledModel {
  readonly provider: Provider;
  readonly model: string;
  readonly answered?: string | undefined;
  /** A refusal before any output. */
  readonly refusal?: Refusal | undefined;
}

export interface ModelCatalogParts {
  readonly clock?: Clock;
  readonly overrides?: PriceOverrides | undefined;
}

/** The known models with their limits and prices. */
export class ModelCatalog {
  readonly #clock: Clock;
  readonly #overrides: PriceOverrides | undefined;
  /** The prices that accounts have set for providers of their own. */
  readonly #ownOverrides = new WeakMap<Provider, PriceOverrides>();
  readonly #indexes = new WeakMap<Provider, ModelIndex>();
  readonly #estimates = new WeakMap<Provider, DailyEstimate>();
  /** The most recently computed price of each model. */
  readonly #priceCache = new WeakMap<PricedModel, ModelPricing>();

  constructor({ clock = systemClock, overrides }: ModelCatalogParts = {}) {
    this.#clock = clock;
    this.#overrides = overrides;
  }

  /** Sets the prices of a provider that an account has defined; those of the operator don't count for it. */
  setOwnPrices(provider: Provider, overrides: PriceOverrides): void {
    this.#ownOverrides.set(provider, overrides);
  }

  /** The model with this name; undefined if only a provider's fallback rule matches. */
  find(provider: Provider, model: string): ModelEntry | undefined {
    const underlying = underlyingModelOf({ provider, model });
    const entry =
      provider.answerLocally === undefined
        ? this.#index(provider).find(underlying)
        : localEntry(provider, model);
    const known =
      entry === undefined || underlying === model ? entry : { ...entry, id: model, otherNames: [] };
    const set = this.#setFor(provider, model) ?? this.#setFor(provider, underlying);
    return set === undefined ? known : { ...(known ?? unlistedEntry(model)), ...set };
  }

  /** Whether the name is in the price data or set by the operator. There is a bounded number of such names. */
  hasName(provider: Provider, model: string): boolean {
    return (
      provider.deployments?.has(model) === true ||
      provider.modelPrefixes.includes(model) ||
      this.#overridesOf(provider)?.models(provider.name).includes(model) === true ||
      this.#index(provider).has(model)
    );
  }

  /** The current price of a model; undefined if no price of its provider is known. */
  priced(provider: Provider, model: string, atMs = this.#clock.now()): ModelPricing | undefined {
    const entry = this.find(provider, model) ?? this.#setFor(provider, anyModel);
    if (entry !== undefined) return this.#priceOfEntry(entry, atMs);
    if (provider.free === true || provider.answerLocally !== undefined) return freePrice;
    return this.#estimate(provider, atMs);
  }

  /**
   * The cost of a call; undefined, which never means free, if the price or the usage is unknown. A cost reported by the
   * provider takes precedence over our own calculation, but not over a price set by the operator.
   */
  bill(billedModel: BilledModel, usage: Usage, atMs = this.#clock.now()): Bill | undefined {
    const { provider } = billedModel;
    const set = this.#setFor(provider, billedModel.model);
    if (provider.reportsCost === true && typeof usage.cost === 'number' && set === undefined)
      return { nanoUsd: nanoOfUsd(Math.max(0, usage.cost)), estimated: false };
    if (usage.input_tokens === undefined && usage.output_tokens === undefined && usage.units === undefined)
      return undefined;
    const model = set === undefined ? this.#billedModelOf(billedModel) : billedModel.model;
    const { refusal } = billedModel;
    if (refusal === undefined) return this.#billAnswer({ provider, model, atMs }, usage);
    const isBilled = isRefusalBilled(model, refusal);
    if (isBilled === false) return { nanoUsd: 0, estimated: false };
    const bill = this.#billAnswer({ provider, model, atMs }, usage);
    return isBilled === undefined && bill !== undefined ? { ...bill, estimated: true } : bill;
  }

  #billAnswer(served: ServedModel, usage: Usage): Bill | undefined {
    const { iterations } = usage;
    if (Array.isArray(iterations) && iterations.length > 0)
      return this.#billIterations(served, usage, iterations);
    const modelPricing = this.priced(served.provider, served.model, served.atMs);
    return modelPricing && billUsage(modelPricing, usage);
  }

  cost(provider: Provider, model: string, usage: Usage): NanoUsd | undefined {
    return this.bill({ provider, model }, usage)?.nanoUsd;
  }

  /** The chat models of a provider: those billed for text input and output. */
  list(provider: Provider): readonly ModelEntry[] {
    const all = this.#listServed(provider);
    return provider.offered === undefined ? all : all.filter(({ id }) => isOffered(provider, id));
  }

  #listServed(provider: Provider): readonly ModelEntry[] {
    if (provider.hasEndpointsOnly === true) return [];
    if (provider.answerLocally !== undefined)
      return provider.modelPrefixes.flatMap((id) => localEntry(provider, id) ?? []);
    if (provider.hasCustomerModelNames === true)
      return [...(provider.deployments?.keys() ?? [])].flatMap((name) => this.find(provider, name) ?? []);
    return this.#listAll(provider);
  }

  #listAll(provider: Provider): readonly ModelEntry[] {
    const known = this.#index(provider).entries.filter((entry) => isListed(entry, provider));
    const set = (this.#overridesOf(provider)?.models(provider.name) ?? []).filter(
      (model) => model !== anyModel,
    );
    return [
      ...known.filter(({ id }) => !set.includes(id)),
      ...set.flatMap((model) => this.find(provider, model) ?? []),
    ];
  }

  /** Providers replace models under their old names, and routers choose one: the model that answered is billed. */
  #billedModelOf({ provider, model, answered }: BilledModel): string {
    if (
      answered === undefined ||
      answered === '' ||
      answered === model ||
      provider.billsRequestedModel === true
    )
      return model;
    return this.find(provider, answered) === undefined ? model : answered;
  }

  /**
   * The total counts exclude compactions, passes of other models, and attempts that a fallback replaced; each pass is
   * priced by its own model and length. Whether a refusal that led to a fallback is billed depends on its category,
   * which isn't reported.
   */
  #billIterations(
    { provider, model, atMs }: ServedModel,
    whole: Usage,
    passes: readonly Iteration[],
  ): Bill | undefined {
    const { service_tier = null, speed = null, inference_geo = null, server_tool_use = null } = whole;
    const hasFallback = passes.some(({ type }) => type === 'fallback_message');
    let nanoUsd = 0;
    let estimated = false;
    for (const [at, pass] of passes.entries()) {
      const modelPricing = this.priced(provider, pass.model ?? model, atMs);
      if (modelPricing === undefined) return undefined;
      const searches = at === 0 ? server_tool_use : null;
      const billingFields = { service_tier, speed, inference_geo, server_tool_use: searches };
      const bill = billUsage(modelPricing, { ...pass, ...billingFields });
      if (bill === undefined) return undefined;
      nanoUsd += bill.nanoUsd;
      estimated ||= bill.estimated || (hasFallback && pass.output_tokens === 0);
    }
    return { nanoUsd, estimated };
  }

  #priceOfEntry(entry: PricedModel, atMs: number): ModelPricing {
    const card = cardAt(entry.prices, atMs);
    const known = this.#priceCache.get(entry);
    if (known?.card === card) return known;
    const modelPricing = priceOfEntry(entry, card);
    this.#priceCache.set(entry, modelPricing);
    return modelPricing;
  }

  #overridesOf(provider: Provider): PriceOverrides | undefined {
    return provider.ownId === undefined ? this.#overrides : this.#ownOverrides.get(provider);
  }

  #setFor(provider: Provider, model: string) {
    return this.#overridesOf(provider)?.find(provider.name, model);
  }

  #index(provider: Provider): ModelIndex {
    let index = this.#indexes.get(provider);
    if (index === undefined) {
      index = indexOf(provider);
      this.#indexes.set(provider, index);
    }
    return index;
  }

  /** Computed once a day: prices can change at any hour, and the highest price of the day holds all day. */
  #estimate(provider: Provider, atMs: number): ModelPricing | undefined {
    const day = Math.floor(atMs / dayLengthMs);
    const known = this.#estimates.get(provider);
    if (known?.day === day) return known.priced;
    const models = this.#listAll(provider);
    const card = mostExpensiveCard(models.flatMap(({ prices }) => cardsOn(prices, day * dayLengthMs)));
    const outputTokensMax = Math.max(0, ...models.map((entry) => outputLimitOf(entry) ?? 0));
    const contextTokens = Math.max(0, ...models.map((entry) => entry.contextTokens ?? 0));
    const priced = card && {
      card,
      estimated: true,
      ...(outputTokensMax > 0 && { outputTokensMax }),
      ...(contextTokens > 0 && { contextTokens }),
    };
    this.#estimates.set(provider, { day, priced });
    return priced;
  }
}

const sharedIndexes = new Map<string, ModelIndex>();

/** One for all gateways of the process: it takes 25 ms and depends on nothing that differs between them. */
function indexOf(provider: Provider): ModelIndex {
  const kind = kindOf(provider);
  const overlay = overlays.get(kind);
  const isRegional = overlay?.regionalSite?.baseUrl.test(provider.baseUrl) === true;
  const key = JSON.stringify([kind, provider.priceId, isRegional]);
  const index = sharedIndexes.get(key) ?? new ModelIndex(provider, overlay);
  sharedIndexes.set(key, index);
  return index;
}

interface DailyEstimate {
  readonly day: number;
  readonly priced: ModelPricing | undefined;
}

interface ServedModel {
  readonly provider: Provider;
  readonly model: string;
  readonly atMs: number;
}

function billUsage({ card, estimated }: ModelPricing, usage: Usage): Bill | undefined {
  if (isUnpriced(card, usage)) return undefined;
  return { nanoUsd: costOf(card, usage), estimated: estimated || isCostAssumed(card, usage) };
}

function priceOfEntry(entry: PricedModel, card: RateCard): ModelPricing {
  const { contextTokens, cacheSeconds, hasHourCache, toolSearch, contextEditing } = entry;
  const outputTokensMax = outputLimitOf(entry);
  return {
    card,
    estimated: false,
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...(hasHourCache === true && { hasHourCache }),
    ...(toolSearch !== undefined && { toolSearch }),
    ...(contextEditing !== undefined && { contextEditing }),
  };
}

type PricedModel = Pick<ModelEntry, 'prices' | LimitField>;
type LimitField =
  | 'contextTokens'
  | 'outputTokensMax'
  | 'cacheSeconds'
  | 'hasHourCache'
  | 'toolSearch'
  | 'contextEditing';

/** Output is part of the context, so without another limit the context window is the limit. */
function outputLimitOf({ outputTokensMax, contextTokens }: Pick<ModelEntry, LimitField>): number | undefined {
  return outputTokensMax ?? contextTokens;
}

/** Whether it is a chat model; for a provider without those, whether it is one of the provider's. */
function isListed({ id, otherNames, offered, prices }: ModelEntry, provider: Provider): boolean {
  const hasChat = provider.hasEndpointsOnly !== true;
  if (!offered || (hasChat && isBilledByPiece(prices))) return false;
  return [id, ...otherNames].some(
    (name) => hasProviderPrefix(name, provider) && (!hasChat || isChatModel(name)),
  );
}

function isBilledByPiece(prices: PriceSchedule): boolean {
  return Object.values(cardAt(prices, 0).media?.units ?? {}).some((rate) => rate > 0);
}

const freePrice: ModelPricing = { card: cardAt(freePrices, 0), estimated: false };

function unlistedEntry(id: string): Omit<ModelEntry, 'prices'> {
  return { id, title: id, otherNames: [], offered: true };
}

function localEntry({ title, modelPrefixes }: Provider, id: string): ModelEntry | undefined {
  if (!modelPrefixes.includes(id)) return undefined;
  return { ...unlistedEntry(id), title, prices: freePrices };
}
