import type { Comparison } from './compare.ts';
import type { SubjectName } from './subjects.ts';

/** CPU time over that of another, within each round: the machine's speed drifts more between rounds than subjects differ. */
export function ratios({ figures }: Comparison, subject: SubjectName, over: SubjectName): readonly number[] {
  if (subject === over) return [];
  const other = figures.find((candidate) => candidate.subject === over)?.cpuMicros ?? [];
  const own = figures.find((candidate) => candidate.subject === subject)?.cpuMicros ?? [];
  return own.flatMap((micros, round) => {
    const below = other[round];
    return below === undefined ? [] : [micros / below];
  });
}
