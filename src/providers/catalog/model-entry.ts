import type { ContextEditing, ToolSearch } from '../../kernel/rate-card.ts';
import type { DatedPrices, PriceSchedule } from './price-schedule.ts';
import type { PriceFactors, PriceSheet, PriceTerms, ToolFees } from './price-sheet.ts';

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
  /** Whether a call may request a cache of an hour. */
  readonly hasHourCache?: true;
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
  readonly hasHourCache?: true;
  /** Replace missing or wrong published prices. */
  readonly prices?: PriceSheet | readonly DatedPrices[];
  /** In addition to the provider's factors. A factor that is an assumption for other models is known for this one. */
  readonly factors?: PriceFactors;
  /** Free of charge, where the price data has no price. */
  readonly free?: true;
  /** No longer offered: not listed, and ignored when estimating the price of unknown models. */
  readonly retired?: true;
}

/** The overlay of one provider. */
export interface Overlay extends Pick<PriceTerms, 'factors' | 'regions' | 'longWrite' | 'assumed'> {
  /** The pages that its prices, factors and limits come from. */
  readonly sources: readonly string[];
  /** The day on which a maintainer last compared it with them. */
  readonly checkedOn: string;
  /** Base addresses at which all calls have a factor of `regions`. */
  readonly regionalSite?: RegionalSite;
  /** Fees of its tools; the first rule that matches a model applies. */
  readonly fees?: readonly FeeRule[];
  /** How long a prompt stays cached after its last use; undefined if the provider doesn't document it. */
  readonly cacheSeconds?: number;
  /** Whether calls of all its models may request a cache of an hour. */
  readonly hasHourCache?: true;
  /** Suffix of the names of free models. */
  readonly freeSuffix?: string;
  readonly models: readonly OverlayModel[];
}

interface RegionalSite {
  readonly baseUrl: RegExp;
  /** The models that cost more there. */
  readonly models: RegExp;
  /** The name of their factor. */
  readonly region: string;
}

export interface FeeRule extends ToolFees {
  /** All models if left out. */
  readonly models?: RegExp;
  /** Whether a number of searches without charge may apply. */
  readonly isUpperBound?: true;
}
