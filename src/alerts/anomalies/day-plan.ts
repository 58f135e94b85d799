import { type ByMeasure, type Measure, measures, quartersPerDay } from './activity.ts';
import { spendOfCode } from './spend-code.ts';

/** What is remembered of a day of a key. */
export interface PastDay {
  /** Days since 1970, in UTC. */
  readonly day: number;
  /** What each quarter of an hour cost, as codes. */
  readonly spend: readonly number[];
  /** How far each measure was from what was expected, at most. */
  readonly maxima: ByMeasure<number>;
}

/** What is expected of a key on a day. */
export interface DayPlan {
  /** Nano USD in each quarter of an hour; undefined if too little is known. */
  readonly spend: readonly number[] | undefined;
  /** How far each measure may be from what is expected; missing if too little is known. */
  readonly bounds: ByMeasure<number>;
}

export const daysKept = 28;
/** How many quarters the plan of a day has before and after it. */
export const planMargin = 4;
const daysMin = 7;

/** How far a measure may be from what is expected; decision 180 says how these were found. */
const tail = {
  /** An alarm is this many times the scale beyond the usual maximum of a day. */
  scales: 5.5,
  /** Nothing is below this; `e` to it is about 1.7. */
  least: 0.55,
  scaleMin: 0.02,
  /** The scale of few days is uncertain, and the tail of an unsteady key is heavier than it looks. */
  fewDays: 6,
  unsteady: 3,
};
/** A quarter of an hour whose neighbours are that much larger has a job with a varying start. */
const spikeRatio = 1.8;

export function planDay(day: number, past: readonly PastDay[], sinceDay: number): DayPlan {
  const bounds: ByMeasure<number> = {};
  for (const measure of measures) {
    const bound = boundOf(measure, past);
    if (bound !== undefined) bounds[measure] = bound;
  }
  const known = day - sinceDay;
  return { spend: known < daysMin ? undefined : expectSpend(day, past, sinceDay), bounds };
}

/** By the distribution of the largest deviation of each day, which is a Gumbel distribution if deviations have an exponential tail. */
function boundOf(measure: Measure, past: readonly PastDay[]): number | undefined {
  const maxima = past.flatMap(({ maxima }) => maxima[measure] ?? []);
  const { length } = maxima;
  if (length < daysMin) return undefined;
  const mean = maxima.reduce((sum, one) => sum + one, 0) / length;
  const variance = maxima.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (length - 1);
  const measured = Math.max(tail.scaleMin, 0.78 * Math.sqrt(variance));
  const scale = measured * (1 + tail.fewDays / length) * (1 + tail.unsteady * measured);
  const mode = mean - 0.577 * measured;
  return Math.max(tail.least, mode + tail.scales * scale, Math.max(...maxima) + scale);
}

function expectSpend(day: number, past: readonly PastDay[], sinceDay: number): readonly number[] {
  const history = new SpendHistory(past, sinceDay, day);
  const usualPeak = history.usualPeak();
  const growth = Math.max(1, history.growth());
  return Array.from({ length: quartersPerDay + 2 * planMargin }, (_, at) => {
    const quarter = day * quartersPerDay + at - planMargin;
    const weekdays = history.known(quarter, [7, 14, 21, 28]);
    const latest = history.known(quarter, [1, 2, 3, 4, 5, 6, 7]);
    const days = weekdays.length >= 2 ? weekdays : latest;
    const upper = history.upperValues(quarter, days);
    const fair = medianOf(history.valuesNear(quarter, days));
    const spiky = medianOf(upper);
    const ofDays = spiky > spikeRatio * fair ? spiky : fair;
    const usual = weekdays.length >= 2 ? ofDays : Math.max(ofDays, ...history.upperValues(quarter, weekdays));
    const seen = upper;
    const isSteady = usual > 0 && lowerQuartileOf(seen) * 4 >= usual;
    return isSteady ? usual * growth : Math.max(usual * growth, usualPeak);
  });
}

const neighbourOffsets = [-4, -3, -2, -1, 0, 1, 2, 3, 4];

/** What a key spent in its past. */
class SpendHistory {
  readonly #days: ReadonlyMap<number, readonly number[]>;
  readonly #sinceDay: number;
  readonly #day: number;

  constructor(past: readonly PastDay[], sinceDay: number, day: number) {
    this.#days = new Map(past.map((one) => [one.day, one.spend.map(spendOfCode)]));
    this.#sinceDay = sinceDay;
    this.#day = day;
  }

  /** The largest value near the same quarter of these days, if they are known: jobs don't start on the minute. */
  upperValues(quarter: number, daysAgo: readonly number[]): readonly number[] {
    return daysAgo.map((ago) =>
      Math.max(...neighbourOffsets.map((offset) => this.#valueOf(quarter - ago * quartersPerDay + offset))),
    );
  }

  valuesNear(quarter: number, daysAgo: readonly number[]): readonly number[] {
    return daysAgo.flatMap((ago) =>
      [-1, 0, 1].map((offset) => this.#valueOf(quarter - ago * quartersPerDay + offset)),
    );
  }

  /** Which of these days are known. */
  known(quarter: number, daysAgo: readonly number[]): readonly number[] {
    return daysAgo.filter((ago) => {
      const same = quarter - ago * quartersPerDay;
      return same >= this.#sinceDay * quartersPerDay && same < this.#day * quartersPerDay;
    });
  }

  usualPeak(): number {
    const peaks = [...this.#days.values()].map((values) => Math.max(...values)).filter((peak) => peak > 0);
    return peaks.length === 0 ? 0 : medianOf(peaks);
  }

  /** How yesterday compares with the same weekday before. */
  growth(): number {
    const ratios: number[] = [];
    for (let quarter = (this.#day - 1) * quartersPerDay; quarter < this.#day * quartersPerDay; quarter++) {
      const expected = medianOf(
        this.valuesNear(
          quarter,
          this.known(
            quarter,
            [7, 14, 21].map((ago) => ago),
          ),
        ),
      );
      if (expected > 0) ratios.push(this.#valueOf(quarter) / expected);
    }
    return ratios.length < 8 ? 1 : medianOf(ratios);
  }

  #valueOf(quarter: number): number {
    const day = Math.floor(quarter / quartersPerDay);
    return this.#days.get(day)?.[quarter - day * quartersPerDay] ?? 0;
  }
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

function lowerQuartileOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? 0;
}
