import { formatUsd } from '../kernel/money.ts';
import type { ModuleDay, TrialSums } from '../kernel/ports/records.ts';
import type { JsonObject } from '../lib/json.ts';

/** Fewer conversations on either side are not significant. */
const conversationsMin = 5;
/** 90 % of a normal distribution lie within this many standard deviations. */
const zScore90 = 1.6449;

/** The savings of modules, sorted by name. */
export function modulesReport(rows: readonly ModuleDay[]): readonly JsonObject[] {
  const byName = Object.groupBy(rows, ({ module }) => module);
  return Object.entries(byName)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([module, days = []]) => ({ module, ...figuresOf(days) }));
}

function figuresOf(days: readonly ModuleDay[]): JsonObject {
  const sum = (part: (day: ModuleDay) => number) => days.reduce((all, day) => all + part(day), 0);
  const spent = sum((day) => day.spentNanoUsd);
  const side = (of: (day: ModuleDay) => TrialSums): TrialSums => ({
    conversations: sum((day) => of(day).conversations),
    costNanoUsd: sum((day) => of(day).costNanoUsd),
    squaredUsd: sum((day) => of(day).squaredUsd),
  });
  const [on, off] = [side((day) => day.with), side((day) => day.without)];
  return {
    saved_usd: formatUsd(sum((day) => day.savedNanoUsd) - spent),
    spent_usd: formatUsd(spent),
    ...(on.conversations + off.conversations > 0 && { holdout: holdoutReport(on, off, spent) }),
  };
}

/** The estimated cost of conversations without the module, from the holdout, minus their actual cost with it. */
function holdoutReport(on: TrialSums, off: TrialSums, spentNanoUsd: number): JsonObject {
  const conversations = { conversations: on.conversations, held_out: off.conversations };
  const least = Math.min(on.conversations, off.conversations);
  if (least < conversationsMin) return { ...conversations, saved_usd: null, low_usd: null, high_usd: null };
  const saved = on.conversations * (meanOf(off) - meanOf(on)) - spentNanoUsd / 1e9;
  const error = on.conversations * Math.sqrt(varianceOfMean(on) + varianceOfMean(off));
  const around = studentsT(least - 1) * error;
  const dollars = (usd: number) => formatUsd(Math.round(usd * 1e9));
  return {
    ...conversations,
    saved_usd: dollars(saved),
    low_usd: dollars(saved - around),
    high_usd: dollars(saved + around),
  };
}

function meanOf({ conversations, costNanoUsd }: TrialSums): number {
  return costNanoUsd / 1e9 / conversations;
}

function varianceOfMean(side: TrialSums): number {
  const spread = side.squaredUsd - side.conversations * meanOf(side) ** 2;
  return Math.max(0, spread) / (side.conversations - 1) / side.conversations;
}

/** The same quantile of Student's t-distribution, by the first terms of its expansion. */
function studentsT(freedom: number): number {
  const z = zScore90;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}
