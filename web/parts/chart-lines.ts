import type { Tone } from './chart-series.ts';

/** Values over the bars of a chart. Null where there is none. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Of the period before: dashed and grey. */
  readonly isBefore?: boolean;
  /** Its colour, if it is not of the period before. */
  readonly tone?: Tone;
}

/** A figure by the time, in milliseconds, at which its step begins. */
interface Step {
  readonly atMs: number;
  readonly value: number | null;
}

interface Moved {
  /** Of the chart. */
  readonly starts: readonly number[];
  readonly stepMs: number;
  /** Of the period before. */
  readonly before: readonly Step[];
  readonly beforeStepMs: number;
  /** How far the periods are apart. */
  readonly byMs: number;
  readonly isSum: boolean;
}

/** The values of the period before at the steps of a chart, which may be shorter or longer: sums are divided or added up, others averaged. */
export function valuesBefore({
  starts,
  stepMs,
  before,
  beforeStepMs,
  byMs,
  isSum,
}: Moved): (number | null)[] {
  return starts.map((atMs) => {
    const [fromMs, toMs] = [atMs - byMs, atMs - byMs + stepMs];
    let [sum, coveredMs] = [0, 0];
    for (const step of before) {
      const sharedMs = Math.min(toMs, step.atMs + beforeStepMs) - Math.max(fromMs, step.atMs);
      if (sharedMs <= 0 || step.value === null) continue;
      sum += step.value * sharedMs;
      coveredMs += sharedMs;
    }
    return coveredMs === 0 ? null : sum / (isSum ? beforeStepMs : coveredMs);
  });
}
