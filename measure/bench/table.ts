import type { Comparison, Figures } from './compare.ts';
import { ratios } from './ratios.ts';
import { spreadOf } from './statistics.ts';

const columns = [
  'row',
  'subject',
  'CPU µs',
  '× bare',
  '× Portkey',
  'calls/s',
  '+p50 ms',
  '+p99 ms',
  '+first token ms',
  'RSS MB',
] as const;

/** What the columns mean, for under a table. */
export const legend = `CPU µs is user and system time of that one process for each call (open-1000: for each event), with the work it puts off for up to
a second. In brackets are the lowest and the highest round. × bare (cache-hit: × hello, accounts-10000: × weir, key) and × Portkey are medians of the ratios
within each round. calls/s is with 16 calls under way at any time (relay-1mb: 4). What is added to p50, p99 and the median first token is over the
upstream itself (cache-hit: over hello), at a fixed rate that every subject can take. RSS is at rest and after the row (open-1000:
with all streams open, in a process that has done nothing else).`;

/** One line a row and subject, as cells. */
export function tableLines(comparisons: readonly Comparison[]): readonly (readonly string[])[] {
  return [columns, ...comparisons.flatMap(linesOf)];
}

/** For a terminal. */
export function alignedTable(comparisons: readonly Comparison[]): string {
  const [titles = [], ...lines] = tableLines(comparisons);
  const widths = titles.map((_, index) =>
    Math.max(...[titles, ...lines].map((line) => line[index]?.length ?? 0)),
  );
  const render = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [render(titles), rule, ...lines.map(render)].join('\n');
}

/** For a page. */
export function markdownTable(comparisons: readonly Comparison[]): string {
  const [titles = [], ...lines] = tableLines(comparisons);
  const rule = titles.map((_, index) => (index < 2 ? '---' : '--:'));
  return [titles, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function linesOf(comparison: Comparison): readonly (readonly string[])[] {
  const { row, figures, parsing } = comparison;
  const measured = figures.map((of) => [
    row.name,
    of.subject,
    range(of.cpuMicros, 0),
    range(ratios(comparison, of.subject, row.baseline), 2),
    range(ratios(comparison, of.subject, 'portkey'), 3),
    ...loadCells(of),
  ]);
  if (parsing.length === 0) return measured;
  const parses: readonly (readonly [string, readonly number[]])[] = [
    ['JSON.parse', parsing.map(({ parseMicros }) => parseMicros)],
    ['decode + JSON.parse', parsing.map(({ decodeAndParseMicros }) => decodeAndParseMicros)],
  ];
  return [
    ...measured,
    ...parses.map(([name, micros]) => [row.name, name, range(micros, 0), ...Array(7).fill('')]),
  ];
}

function loadCells(of: Figures): readonly string[] {
  return [
    middle(of.perSecond, 0),
    middle(of.addedP50Ms, 2),
    middle(of.addedP99Ms, 2),
    middle(of.addedFirstTokenMs, 2),
    `${megabytes(of.restBytes)} → ${megabytes(of.rssBytes)}`,
  ];
}

function range(values: readonly number[], digits: number): string {
  if (values.length === 0) return '';
  const { median, lowest, highest } = spreadOf(values);
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}

function middle(values: readonly number[], digits: number): string {
  return values.length === 0 ? '' : spreadOf(values).median.toFixed(digits);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
