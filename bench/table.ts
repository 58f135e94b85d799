import type { Comparison } from './compare.ts';
import type { Sample } from './measure.ts';
import { type Spread, spreadOf } from './statistics.ts';

const columns = [
  'row',
  'target',
  'CPU µs/request',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'weir/bare CPU',
] as const;

/** One line a row and target: medians, with the lowest and highest round in brackets where it matters. */
export function renderTable(comparisons: readonly Comparison[]): string {
  const lines = comparisons.flatMap((comparison) =>
    [...comparison.samples].map(([target, samples]) => [
      comparison.row,
      target,
      ...figures(samples),
      target === 'weir' ? withRange(comparison.ratio, 2) : '',
    ]),
  );
  const widths = columns.map((title, index) =>
    Math.max(title.length, ...lines.map((line) => line[index]?.length ?? 0)),
  );
  const render = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [render(columns), rule, ...lines.map(render)].join('\n');
}

function figures(samples: readonly Sample[]): readonly string[] {
  const spread = (pick: (sample: Sample) => number): Spread => spreadOf(samples.map(pick));
  return [
    withRange(
      spread((sample) => sample.cpuMicros),
      0,
    ),
    plain(spread((sample) => sample.perSecond).median, 0),
    plain(spread((sample) => sample.p50Ms).median, 2),
    plain(spread((sample) => sample.p99Ms).median, 2),
    plain(spread((sample) => sample.rssBytes / 2 ** 20).median, 0),
  ];
}

function withRange({ median, lowest, highest }: Spread, digits: number): string {
  if (Number.isNaN(median)) return '–';
  return `${plain(median, digits)} (${plain(lowest, digits)}–${plain(highest, digits)})`;
}

function plain(value: number, digits: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(digits);
}
