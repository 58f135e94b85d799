import { limits } from '../../kernel/limits.ts';
import { Lru } from '../../kernel/lru.ts';
import type { ModelEntry, Overlay, OverlayModel } from './model-entry.ts';
import { isMeant, isPattern, namesIn, undated } from './model-names.ts';
import { compileSchedule, type DatedPrices, type PriceSchedule } from './price-schedule.ts';
import { freeSheet, type PriceSheet } from './price-sheet.ts';
import { type Published, publishedModels } from './published.ts';

interface Pattern {
  readonly rule: Published['model']['match'];
  readonly entry: ModelEntry;
}

/** The models of one provider, compiled once, by their names. */
export class ModelIndex {
  readonly entries: readonly ModelEntry[];
  readonly #names = new Map<string, ModelEntry>();
  readonly #patterns: Pattern[] = [];
  readonly #overlay: Overlay;
  /** Names that clients came up with, found or not. */
  readonly #found = new Lru<{ readonly entry: ModelEntry | undefined }>(limits.resolvedModelsMax);

  constructor(priceId: string | undefined, overlay: Overlay) {
    this.#overlay = overlay;
    const priced = overlay.models.filter(({ prices }) => prices !== undefined);
    for (const record of priced) this.#name(ownEntry(record, overlay), record.names ?? []);
    const own = new Map(this.#names);
    if (priceId !== undefined)
      for (const published of publishedModels(priceId))
        this.#publish(published, own.get(published.model.id.toLowerCase()));
    const patterned = this.#patterns.map(({ entry }) => entry);
    this.entries = [...new Set([...this.#names.values(), ...patterned])];
  }

  find(name: string): ModelEntry | undefined {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    let found = this.#found.get(name);
    if (found === undefined) {
      found = { entry: this.#lookUp(name.toLowerCase()) };
      this.#found.set(name, found);
    }
    return found.entry;
  }

  #lookUp(name: string): ModelEntry | undefined {
    const known = this.#names.get(name) ?? this.#patterns.find(({ rule }) => isMeant(rule, name))?.entry;
    if (known !== undefined) return known;
    const { freeSuffix } = this.#overlay;
    if (freeSuffix !== undefined && name.endsWith(freeSuffix)) return freeEntry(name);
    const without = undated(name);
    return without === undefined ? undefined : this.#lookUp(without);
  }

  /** `own` is ours for the same model, and takes its place. */
  #publish(published: Published, own: ModelEntry | undefined): void {
    const { match, id } = published.model;
    const names = namesIn(match);
    const facts = this.#overlay.models.find(
      (record) => record.prices === undefined && (record.id === id || names.includes(record.id)),
    );
    const entry = own ?? publishedEntry(published, facts, this.#overlay);
    if (entry === undefined) return;
    this.#name(entry, names);
    if (isPattern(match)) this.#patterns.push({ rule: match, entry });
  }

  /** Who came first keeps a name: ours come before the published ones. */
  #name(entry: ModelEntry, names: readonly string[]): void {
    for (const name of [entry.id, ...names]) {
      const key = name.toLowerCase();
      if (!this.#names.has(key)) this.#names.set(key, entry);
    }
  }
}

function ownEntry(record: OverlayModel, overlay: Overlay): ModelEntry {
  const { id, names = [], title = id, prices = freeSheet } = record;
  return {
    id,
    title,
    otherNames: names,
    ...factsOf(record, overlay),
    prices: scheduleOf(prices, record, overlay),
  };
}

function publishedEntry(
  { model, prices }: Published,
  facts: OverlayModel | undefined,
  overlay: Overlay,
): ModelEntry | undefined {
  const { id, name = id, match, context_window, deprecated } = model;
  const sold = prices ?? (facts?.free === true ? freeSheet : undefined);
  if (sold === undefined) return undefined;
  const known = factsOf(facts ?? { id }, overlay);
  return {
    id,
    title: facts?.title ?? name,
    otherNames: namesIn(match).filter((other) => other !== id),
    ...(context_window !== undefined && { contextTokens: context_window }),
    ...known,
    offered: known.offered && deprecated !== true,
    prices: scheduleOf(sold, facts, overlay),
  };
}

function factsOf(
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

function scheduleOf(
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
