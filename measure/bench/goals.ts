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
          { text: 'the same, in times of the bare proxy', most: 1.5, measured: over('weir, key', 'bare') },
        ];
      case 'cache-hit':
        return [
          {
            text: 'CPU of a cache hit, in times of a bare server that parses the same JSON',
            most: 1.6,
            measured: over('weir, cached', 'hello'),
          },
          { text: 'the same with a key', most: 1.6, measured: over('weir, key, cached', 'hello') },
        ];
      case 'relay-100kb':
        return [timesBare('a 100 KB call', 1.15, over)];
      case 'relay-1mb':
        return [timesBare('a 1 MB call', 1.6, over)];
      case 'stream-500':
        return [
          timesBare('a stream of 500 events', 1.15, over),
          {
            text: 'ms added to the first token of a stream',
            most: 0.8,
            measured: median(figuresOf(comparison, 'weir, key').addedFirstTokenMs),
          },
        ];
      case 'embeddings-1kb':
        return [timesBare('an embedding of 1 KB', 1.3, over)];
      case 'accounts-10000':
        return [
          {
            text: 'CPU of a call where 10,000 accounts call in turn, in times of one account',
            most: 1.3,
            measured: over('weir, accounts', 'weir, key'),
          },
        ];
      case 'agent-200k':
        return [
          agentCpu(comparison, 'a later turn', 12),
          {
            text: 'ms added to it',
            most: 15,
            measured: median(figuresOf(comparison, 'weir, all six').addedP50Ms),
          },
        ];
      case 'agent-200k-first':
        return [agentCpu(comparison, 'a first turn', 60)];
      default:
        return [];
    }
  });
}

export function goalLine({ text, most, measured }: Goal): string {
  if (Number.isNaN(measured)) return `${text}: at most ${most}, not measured`;
  return `${text}: at most ${most}, measured ${measured.toFixed(2)}: ${measured <= most ? 'met' : 'missed'}`;
}

function agentCpu(comparison: Comparison, what: string, most: number): Goal {
  const { cpuMicros } = figuresOf(comparison, 'weir, all six');
  const text = `ms of CPU of ${what} of an agent, 200,000 tokens, with all six modules`;
  return { text, most, measured: median(cpuMicros) / 1000 };
}

function timesBare(
  what: string,
  most: number,
  over: (subject: SubjectName, other: SubjectName) => number,
): Goal {
  const text = `CPU of ${what} with a key, in times of the bare proxy`;
  return { text, most, measured: over('weir, key', 'bare') };
}

function figuresOf({ figures, row }: Comparison, subject: SubjectName): Figures {
  const found = figures.find((candidate) => candidate.subject === subject);
  if (found === undefined) throw new Error(`${row.name} has no ${subject}`);
  return found;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
