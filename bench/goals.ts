import type { Comparison, Figures } from './compare.ts';
import { ratios } from './ratios.ts';
import { quantile } from './statistics.ts';
import type { SubjectName } from './subjects.ts';

/** What is aimed at, beside what was measured. */
export interface Goal {
  readonly text: string;
  readonly most: number;
  readonly measured: number;
}

/** Those that this run has the rows for. */
export function goals(comparisons: readonly Comparison[]): readonly Goal[] {
  return comparisons.flatMap((comparison): readonly Goal[] => {
    const over = (subject: SubjectName, other: SubjectName) => median(ratios(comparison, subject, other));
    switch (comparison.row.name) {
      case 'relay-1kb':
        return [
          {
            text: 'CPU of a 1 KB call with a key, as a part of what Portkey takes',
            most: 0.15,
            measured: over('weir, key', 'portkey'),
          },
        ];
      case 'cache-hit':
        return [
          {
            text: 'CPU of a cache hit, in times of a bare server that parses the same JSON',
            most: 1.5,
            measured: over('weir, cached', 'hello'),
          },
          { text: 'the same with a key', most: 1.5, measured: over('weir, key, cached', 'hello') },
        ];
      case 'relay-1mb':
        return [megabyteGoal(comparison)];
      case 'stream-500':
        return [
          {
            text: 'ms added to the first token of a stream',
            most: 1,
            measured: median(figuresOf(comparison, 'weir, key').addedFirstTokenMs),
          },
        ];
      default:
        return [];
    }
  });
}

export function goalLine({ text, most, measured }: Goal): string {
  if (Number.isNaN(measured)) return `${text}: at most ${most}, not measured`;
  return `${text}: at most ${most}, measured ${measured.toFixed(2)}: ${measured <= most ? 'met' : 'missed'}`;
}

function megabyteGoal(comparison: Comparison): Goal {
  const parse = median(comparison.parsing.map(({ parseMicros }) => parseMicros));
  const bare = median(figuresOf(comparison, 'bare').cpuMicros);
  const weir = median(figuresOf(comparison, 'weir, key').cpuMicros);
  return {
    text: 'CPU of a 1 MB call with a key less one JSON.parse of it, in times of the bare proxy',
    most: 1.3,
    measured: (weir - parse) / bare,
  };
}

function figuresOf({ figures, row }: Comparison, subject: SubjectName): Figures {
  const found = figures.find((candidate) => candidate.subject === subject);
  if (found === undefined) throw new Error(`${row.name} has no ${subject}`);
  return found;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
