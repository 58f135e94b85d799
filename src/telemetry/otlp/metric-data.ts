import type { Attributes } from './span.ts';

/** A metric as it is exported, with sums since the start of the process. Times are microseconds since 1970. */
export interface MetricData {
  readonly name: string;
  readonly unit: string;
  readonly startUs: number;
  readonly timeUs: number;
  readonly counts: readonly CountPoint[];
  readonly histograms: readonly HistogramPoint[];
}

interface CountPoint {
  readonly attributes: Attributes;
  readonly value: number;
}

export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
  /** One more than there are bounds. */
  readonly bucketCounts: readonly number[];
  readonly bounds: readonly number[];
}

/** The sums are those since the start of the process. */
export const cumulative = 2;
