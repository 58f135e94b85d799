import { formatUsd } from '../kernel/money.ts';
import type { ModuleDay, TrialSums } from '../kernel/ports/records.ts';
import type { JsonObject } from '../lib/json.ts';
import { countsIn, isCount, moduleOf } from './module-counts.ts';

/** Fewer conversations on either side are not significant. */
const conversationsMin = 20;
/** How often the interval may ever miss the true saving, however often it is read. */
const missShare = 0.1;
/** The number of held-out conversations at which the interval is narrowest in comparison. */
const narrowestAt = 100;

/** What modules saved and counted, sorted by name; modules that saved, spent, tried and counted nothing are left out. */
export function modulesReport(rows: readonly ModuleDay[]): readonly JsonObject[] {
  return byModule(rows.filter((row) => isCount(row) || hasEffect(row))).map(([module, days]) => ({
    module,
    ...figuresOf(days.filter((row) => !isCount(row))),
    ...(days.some(isCount) && { counts: countsIn(days) }),
  }));
}

export function byModule(rows: readonly ModuleDay[]): readonly (readonly [string, readonly ModuleDay[]])[] {
  const days = Map.groupBy(rows, moduleOf);
  return [...days].sort(([one], [other]) => (one < other ? -1 : 1));
}

function hasEffect({ savedNanoUsd, spentNanoUsd, with: on, without: off }: ModuleDay): boolean {
  return savedNanoUsd !== 0 || spentNanoUsd !== 0 || on.conversations + off.conversations > 0;
}

function figuresOf(days: readonly ModuleDay[]): JsonObject {
  const { savedNanoUsd, spentNanoUsd, holdout } = savingsOf(days);
  return {
    saved_usd: formatUsd(savedNanoUsd),
    spent_usd: formatUsd(spentNanoUsd),
    ...(holdout !== undefined && { holdout: formatHoldout(holdout) }),
  };
}

/** The sums of one module's days. */
export interface ModuleSavingsSum {
  readonly calls: number;
  /** As estimated call by call, net of what the module spent. */
  readonly savedNanoUsd: number;
  readonly spentNanoUsd: number;
  readonly holdout: Holdout | undefined;
}

interface Holdout {
  readonly conversations: number;
  readonly heldOut: number;
  /** In dollars; undefined while there are too few conversations. */
  readonly saved?: { readonly mean: number; readonly low: number; readonly high: number };
}

export function savingsOf(days: readonly ModuleDay[]): ModuleSavingsSum {
  const sum = (part: (day: ModuleDay) => number) => days.reduce((all, day) => all + part(day), 0);
  const spentNanoUsd = sum((day) => day.spentNanoUsd);
  const side = (of: (day: ModuleDay) => TrialSums): TrialSums => ({
    conversations: sum((day) => of(day).conversations),
    costNanoUsd: sum((day) => of(day).costNanoUsd),
    squaredUsd: sum((day) => of(day).squaredUsd),
  });
  const [on, off] = [side((day) => day.with), side((day) => day.without)];
  const isTried = on.conversations + off.conversations > 0;
  return {
    calls: sum((day) => day.calls),
    savedNanoUsd: sum((day) => day.savedNanoUsd) - spentNanoUsd,
    spentNanoUsd,
    holdout: isTried ? compareSides(on, off, spentNanoUsd) : undefined,
  };
}

/** The estimated cost of conversations without the module, from the holdout, minus their actual cost with it. */
function compareSides(on: TrialSums, off: TrialSums, spentNanoUsd: number): Holdout {
  const numbers = { conversations: on.conversations, heldOut: off.conversations };
  if (Math.min(on.conversations, off.conversations) < conversationsMin) return numbers;
  const mean = on.conversations * (meanOf(off) - meanOf(on)) - spentNanoUsd / 1e9;
  const around = on.conversations * intervalAround(on, off);
  return { ...numbers, saved: { mean, low: mean - around, high: mean + around } };
}

export function formatHoldout({ conversations, heldOut, saved }: Holdout): JsonObject {
  const dollars = (usd: number | undefined) => (usd === undefined ? null : formatUsd(Math.round(usd * 1e9)));
  return {
    conversations,
    held_out: heldOut,
    saved_usd: dollars(saved?.mean),
    low_usd: dollars(saved?.low),
    high_usd: dollars(saved?.high),
  };
}

/**
 * Half the width of the interval around a difference of means. A usual confidence interval is right at one moment, chosen before;
 * who looks every day finds it wrong sooner or later. This is a confidence sequence (Waudby-Smith et al.,
 * "Time-uniform central limit theory and asymptotic confidence sequences"), which is right at all moments at once.
 */
function intervalAround(on: TrialSums, off: TrialSums): number {
  const size = 1 / (1 / on.conversations + 1 / off.conversations);
  const threshold = -2 * Math.log(missShare);
  const scaledSize = (size * (threshold + Math.log(threshold + 1))) / narrowestAt;
  const factor = ((scaledSize + 1) / scaledSize) * (Math.log(scaledSize + 1) + threshold);
  return Math.sqrt((varianceOfMean(on) + varianceOfMean(off)) * factor);
}

function meanOf({ conversations, costNanoUsd }: TrialSums): number {
  return costNanoUsd / 1e9 / conversations;
}

function varianceOfMean(side: TrialSums): number {
  const spread = side.squaredUsd - side.conversations * meanOf(side) ** 2;
  return Math.max(0, spread) / (side.conversations - 1) / side.conversations;
}
