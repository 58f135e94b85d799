import type { Comparison } from './compare.ts';
import type { TargetName } from './targets.ts';

/** CPU time over that of another, within each round: the machine's speed drifts more between rounds than targets differ. */
export function ratios({ figures }: Comparison, target: TargetName, over: TargetName): readonly number[] {
  if (target === over) return [];
  const other = figures.find((candidate) => candidate.target === over)?.cpuMicros ?? [];
  const own = figures.find((candidate) => candidate.target === target)?.cpuMicros ?? [];
  return own.flatMap((micros, round) => {
    const below = other[round];
    return below === undefined ? [] : [micros / below];
  });
}
