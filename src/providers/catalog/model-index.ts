import type { Provider } from '../../kernel/provider.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';
import type { ModelEntry, Overlay, OverlayModel } from './model-entry.ts';
import { exactNamesIn, isPattern, matchesRule, stripDate } from './model-names.ts';
import { compileSchedule, type DatedPrices, freePrices, type PriceSchedule } from './price-schedule.ts';
import { freeSheet, type PriceSheet, type PriceTerms } from './price-sheet.ts';
import { type PublishedModel, publishedModels } from './published-models.ts';

interface NamePattern {
  readonly rule: PublishedModel['model']['match'];
  readonly entry: ModelEntry;
}

/** The models of one provider by name, compiled once. */
export class ModelIndex {
  readonly entries: readonly ModelEntry[];
  readonly #names = new Map<string, ModelEntry>();
  readonly #patterns: NamePattern[] = [];
  readonly #overlay: Overlay;
  readonly #baseUrl: string;
  /** Cached lookups of the names that clients send, including misses. */
  readonly #lookups = new Lru<{ readonly entry: ModelEntry | undefined }>(limits.resolvedModelsMax);

  constructor({ priceId, baseUrl }: Pick<Provider, 'priceId' | 'baseUrl'>, overlay: Overlay = noOverlay) {
    this.#overlay = overlay;
    this.#baseUrl = baseUrl;
    const priced = overlay.models.filter(({ prices }) => prices !== undefined);
    for (const record of priced) this.#addNames(this.#overlayEntry(record), record.names ?? []);
    const own = new Map(this.#names);
    if (priceId !== undefined)
      for (const publishedModel of publishedModels(priceId))
        this.#addPublished(publishedModel, own.get(publishedModel.model.id.toLowerCase()));
    const patterned = this.#patterns.map(({ entry }) => entry);
    this.entries = [...new Set([...this.#names.values(), ...patterned])];
  }

  /** Whether the name is in the data itself: patterns match any number of others. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  find(name: string): ModelEntry | undefined {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    let cached = this.#lookups.get(name);
    if (cached === undefined) {
      cached = { entry: this.#lookUp(name.toLowerCase()) };
      this.#lookups.set(name, cached);
    }
    return cached.entry;
  }

  #lookUp(name: string): ModelEntry | undefined {
    const known = this.#names.get(name) ?? this.#patterns.find(({ rule }) => matchesRule(rule, name))?.entry;
    if (known !== undefined) return known;
    const { freeSuffix } = this.#overlay;
    if (freeSuffix !== undefined && name.endsWith(freeSuffix)) return freeEntry(name);
    const without = stripDate(name);
    return without === undefined ? undefined : this.#lookUp(without);
  }

  /** `own`, our entry for the same model, replaces the published one. */
  #addPublished(publishedModel: PublishedModel, own: ModelEntry | undefined): void {
    const { match, id } = publishedModel.model;
    const names = exactNamesIn(match);
    const overlayModel = this.#overlay.models.find(
      (record) => record.prices === undefined && (record.id === id || names.includes(record.id)),
    );
    const entry = own ?? this.#publishedEntry(publishedModel, overlayModel);
    if (entry === undefined) return;
    this.#addNames(entry, names);
    if (isPattern(match)) this.#patterns.push({ rule: match, entry });
  }

  /** The first entry with a name keeps it: ours come before the published ones. */
  #addNames(entry: ModelEntry, names: readonly string[]): void {
    for (const name of [entry.id, ...names]) {
      const key = name.toLowerCase();
      if (!this.#names.has(key)) this.#names.set(key, entry);
    }
  }

  #overlayEntry(record: OverlayModel): ModelEntry {
    const { id, names = [], title = id, prices = freeSheet } = record;
    return {
      id,
      title,
      otherNames: names,
      ...overlayAttributes(record, this.#overlay),
      prices: this.#compile(prices, id, record),
    };
  }

  #publishedEntry(
    { model, prices }: PublishedModel,
    overlayModel: OverlayModel | undefined,
  ): ModelEntry | undefined {
    const { id, name = id, match, context_window, deprecated } = model;
    const isFree = prices === undefined && overlayModel?.free === true;
    if (prices === undefined && !isFree) return undefined;
    const known = overlayAttributes(overlayModel ?? { id }, this.#overlay);
    return {
      id,
      title: overlayModel?.title ?? name,
      otherNames: exactNamesIn(match).filter((other) => other !== id),
      ...(context_window !== undefined && { contextTokens: context_window }),
      ...known,
      offered: known.offered && deprecated !== true,
      prices: prices === undefined ? freePrices : this.#compile(prices, id, overlayModel),
    };
  }

  #compile(
    prices: PriceSheet | readonly DatedPrices[],
    id: string,
    record: OverlayModel | undefined,
  ): PriceSchedule {
    return compileSchedule(isDated(prices) ? prices : [prices], this.#termsOf(id, record));
  }

  #termsOf(id: string, record: OverlayModel | undefined): PriceTerms {
    const { factors, regions, longWrite, assumed = [], fees = [], regionalSite } = this.#overlay;
    const own = record?.factors ?? {};
    const isRegional = regionalSite?.baseUrl.test(this.#baseUrl) === true && regionalSite.models.test(id);
    const {
      models: _,
      isUpperBound,
      ...modelFees
    } = fees.find(({ models }) => models?.test(id) ?? true) ?? {};
    const assumptions = assumed.filter((name) => !Object.hasOwn(own, name));
    return {
      factors: { ...factors, ...own },
      ...(regions !== undefined && { regions }),
      ...(isRegional && { region: regionalSite.region }),
      ...(longWrite !== undefined && { longWrite }),
      fees: modelFees,
      assumed: isUpperBound === true ? [...assumptions, 'webSearch'] : assumptions,
    };
  }
}

const noOverlay: Overlay = { sources: [], checkedOn: '', models: [] };

function overlayAttributes(
  {
    contextTokens,
    outputTokensMax,
    features,
    toolSearch,
    contextEditing,
    hasHourCache,
    retired,
  }: OverlayModel,
  { cacheSeconds, hasHourCache: haveHourCache }: Overlay,
) {
  return {
    ...((hasHourCache ?? haveHourCache) === true && { hasHourCache: true as const }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(features !== undefined && { features }),
    ...(toolSearch !== undefined && { toolSearch }),
    ...(contextEditing !== undefined && { contextEditing }),
    offered: retired !== true,
  };
}

function isDated(prices: PriceSheet | readonly DatedPrices[]): prices is readonly DatedPrices[] {
  return Array.isArray(prices);
}

function freeEntry(id: string): ModelEntry {
  return { id, title: id, otherNames: [], offered: true, prices: freePrices };
}
