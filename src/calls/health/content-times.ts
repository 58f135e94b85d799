import type { ReportedContentTimes } from '../../kernel/ports/health.ts';
import { limits } from '../limits.ts';

interface Sample {
  readonly atMs: number;
  readonly ms: number;
}

/** The latest times until the first content, as quantiles that decay with the age of the answers. */
export class ContentTimes {
  readonly #samples: Sample[] = [];
  #added = 0;
  #quantiles: ReportedContentTimes | undefined;
  #computedAtMs = Number.NEGATIVE_INFINITY;

  add(ms: number, nowMs: number): void {
    this.#samples[this.#added++ % limits.contentSamples] = { atMs: nowMs, ms };
  }

  /** Computed again after a moment at the earliest, since a router reads many of them for each call. */
  quantiles(nowMs: number): ReportedContentTimes | undefined {
    if (nowMs - this.#computedAtMs >= limits.healthReadMs) {
      this.#quantiles = quantilesOf(this.#samples, nowMs);
      this.#computedAtMs = nowMs;
    }
    return this.#quantiles;
  }
}

function quantilesOf(samples: readonly Sample[], nowMs: number): ReportedContentTimes | undefined {
  const sorted = samples.toSorted((one, other) => one.ms - other.ms);
  const weights = sorted.map(({ atMs }) => decayOf(nowMs - atMs));
  const weight = weights.reduce((sum, one) => sum + one, 0);
  if (weight < limits.contentWeightMin) return undefined;
  const quantile = (share: number): number => {
    let left = weight * share;
    const at = weights.findIndex((one) => {
      left -= one;
      return left <= 0;
    });
    return Math.round(sorted.at(at)?.ms ?? 0);
  };
  const atMs = Math.max(...sorted.map((sample) => sample.atMs));
  return { medianMs: quantile(0.5), slowMs: quantile(0.95), weight, atMs };
}

/** The quantiles with the most recent answers, of several processes. */
export function strongestOf(all: readonly (ReportedContentTimes | undefined)[], nowMs: number) {
  let strongest: ReportedContentTimes | undefined;
  let most = limits.contentWeightMin;
  for (const one of all) {
    const weight = one === undefined ? 0 : one.weight * decayOf(nowMs - one.atMs);
    if (weight < most) continue;
    most = weight;
    strongest = one;
  }
  return strongest;
}

function decayOf(ageMs: number): number {
  return 2 ** (-Math.max(0, ageMs) / limits.contentHalfLifeMs);
}
