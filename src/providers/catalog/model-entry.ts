import type { ContextEditing, ToolSearch } from '../../kernel/rate-card.ts';
import type { DatedPrices, PriceSchedule } from './price-schedule.ts';
import type { PriceFactors, PriceSheet } from './price-sheet.ts';

export type Feature = 'tools' | 'images' | 'thinking' | 'json_schema' | 'caching';

/** A provider's model with its names, limits, features and prices. */
export interface ModelEntry {
  readonly id: string;
  /** Display name. */
  readonly title: string;
  /** Names in the price data besides the id; the provider doesn't know all of them. */
  readonly otherNames: readonly string[];
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  /** How long the provider caches a prompt by default. */
  readonly cacheSeconds?: number;
  /** How the model searches for tools that are not loaded. */
  readonly toolSearch?: ToolSearch;
  /** What the provider can remove from the model's conversations. */
  readonly contextEditing?: ContextEditing;
  /** Undefined if unknown. */
  readonly features?: readonly Feature[];
  readonly prices: PriceSchedule;
  /** Whether the provider still offers it. */
  readonly offered: boolean;
}

/** Corrections and additions to the price data; one record per model. */
export interface OverlayModel {
  readonly id: string;
  /** Further names. A record with prices matches only these and its id. */
  readonly names?: readonly string[];
  readonly title?: string;
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  readonly features?: readonly Feature[];
  readonly toolSearch?: ToolSearch;
  readonly contextEditing?: ContextEditing;
  /** Replace missing or wrong published prices. */
  readonly prices?: PriceSheet | readonly DatedPrices[];
  /** In addition to the provider's factors. */
  readonly factors?: PriceFactors;
  /** Free of charge, where the price data has no price. */
  readonly free?: true;
  /** No longer offered: not listed, and ignored when estimating the price of unknown models. */
  readonly retired?: true;
}

/** The overlay of one provider. */
export interface Overlay {
  /** How tiers, speeds and regions change token prices. */
  readonly factors?: PriceFactors;
  /** How long a prompt stays cached after its last use; undefined if the provider doesn't document it. */
  readonly cacheSeconds?: number;
  /** Suffix of the names of free models. */
  readonly freeSuffix?: string;
  readonly models: readonly OverlayModel[];
}
