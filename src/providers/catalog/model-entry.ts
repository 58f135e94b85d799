import type { ContextEditing, ToolSearch } from '../../kernel/rate-card.ts';
import type { DatedPrices, PriceSchedule } from './price-schedule.ts';
import type { PriceFactors, PriceSheet } from './price-sheet.ts';

export type Feature = 'tools' | 'images' | 'thinking' | 'json_schema' | 'caching';

/** A model of a provider, with all that is known about it. */
export interface ModelEntry {
  readonly id: string;
  /** For people. */
  readonly title: string;
  /** Names that the price data has for it besides its id, which isn't always one that the provider knows. */
  readonly otherNames: readonly string[];
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  /** How long the provider keeps what the model has read, unless a call asks for longer. */
  readonly cacheSeconds?: number;
  /** How it looks for tools that are there and not loaded. */
  readonly toolSearch?: ToolSearch;
  /** What the provider can leave out of its conversations. */
  readonly contextEditing?: ContextEditing;
  /** Undefined where nobody looked. */
  readonly features?: readonly Feature[];
  readonly prices: PriceSchedule;
  /** Whether the provider still offers it. */
  readonly offered: boolean;
}

/** What we know better than the price data, or in addition to it; one record a model. */
export interface OverlayModel {
  readonly id: string;
  /** Further names. With prices, these and the id are all that the record stands for. */
  readonly names?: readonly string[];
  readonly title?: string;
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  readonly features?: readonly Feature[];
  readonly toolSearch?: ToolSearch;
  readonly contextEditing?: ContextEditing;
  /** In place of the published ones, which are missing or wrong. */
  readonly prices?: PriceSheet | readonly DatedPrices[];
  /** Beside those of the vendor. */
  readonly factors?: PriceFactors;
  /** Sold for nothing, where the price data has no price at all. */
  readonly free?: true;
  /** No longer offered: neither listed nor a measure for what unknown models may cost. */
  readonly retired?: true;
}

/** All of that for one provider. */
export interface Overlay {
  /** How tiers, speeds and regions change token prices. */
  readonly factors?: PriceFactors;
  /** How long what a model has read is kept after its last use; undefined where nobody says so. */
  readonly cacheSeconds?: number;
  /** How names of models end that cost nothing. */
  readonly freeSuffix?: string;
  readonly models: readonly OverlayModel[];
}
