import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';
import type { ModelEntry, Overlay, OverlayModel } from './model-entry.ts';
import { exactNamesIn, isPattern, matchesRule, stripDate } from './model-names.ts';
import { compileSchedule, type DatedPrices, type PriceSchedule } from './price-schedule.ts';
import { freeSheet, type PriceSheet } from './price-sheet.ts';
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
  /** Cached lookups of the names that clients send, including misses. */
  readonly #lookups = new Lru<{ readonly entry: ModelEntry | undefined }>(limits.resolvedModelsMax);

  constructor(priceId: string | undefined, overlay: Overlay) {
    this.#overlay = overlay;
    const priced = overlay.models.filter(({ prices }) => prices !== undefined);
    for (const record of priced) this.#addNames(overlayEntry(record, overlay), record.names ?? []);
    const own = new Map(this.#names);
    if (priceId !== undefined)
      for (const publishedModel of publishedModels(priceId))
        this.#addPublished(publishedModel, own.get(publishedModel.model.id.toLowerCase()));
    const patterned = this.#patterns.map(({ entry }) => entry);
    this.entries = [...new Set([...this.#names.values(), ...patterned])];
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
    const entry = own ?? publishedEntry(publishedModel, overlayModel, this.#overlay);
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
}

function overlayEntry(record: OverlayModel, overlay: Overlay): ModelEntry {
  const { id, names = [], title = id, prices = freeSheet } = record;
  return {
    id,
    title,
    otherNames: names,
    ...overlayAttributes(record, overlay),
    prices: compilePrices(prices, record, overlay),
  };
}

function publishedEntry(
  { model, prices }: PublishedModel,
  overlayModel: OverlayModel | undefined,
  overlay: Overlay,
): ModelEntry | undefined {
  const { id, name = id, match, context_window, deprecated } = model;
  const sold = prices ?? (overlayModel?.free === true ? freeSheet : undefined);
  if (sold === undefined) return undefined;
  const known = overlayAttributes(overlayModel ?? { id }, overlay);
  return {
    id,
    title: overlayModel?.title ?? name,
    otherNames: exactNamesIn(match).filter((other) => other !== id),
    ...(context_window !== undefined && { contextTokens: context_window }),
    ...known,
    offered: known.offered && deprecated !== true,
    prices: compilePrices(sold, overlayModel, overlay),
  };
}

function overlayAttributes(
  { contextTokens, outputTokensMax, features, toolSearch, contextEditing, retired }: OverlayModel,
  { cacheSeconds }: Overlay,
) {
  return {
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(features !== undefined && { features }),
    ...(toolSearch !== undefined && { toolSearch }),
    ...(contextEditing !== undefined && { contextEditing }),
    offered: retired !== true,
  };
}

function compilePrices(
  prices: PriceSheet | readonly DatedPrices[],
  record: OverlayModel | undefined,
  overlay: Overlay,
): PriceSchedule {
  return compileSchedule(isDated(prices) ? prices : [prices], { ...overlay.factors, ...record?.factors });
}

function isDated(prices: PriceSheet | readonly DatedPrices[]): prices is readonly DatedPrices[] {
  return Array.isArray(prices);
}

function freeEntry(id: string): ModelEntry {
  return { id, title: id, otherNames: [], offered: true, prices: compileSchedule([freeSheet]) };
}
