import type { Comparison, Figures } from './compare.ts';
import { spreadOf } from './statistics.ts';

const width = 880;
const left = 190;
const right = 150;
const barHeight = 16;
const lineHeight = 24;
const panelGap = 30;
const titleHeight = 26;
const margin = 24;
const [ink, faint, paper] = ['#1f2937', '#6b7280', '#f7f8fa'];

/** CPU time by row and subject as bars, each row on its own scale, with the lowest and the highest round as a line. */
export function renderChart(comparisons: readonly Comparison[], caption: string): string {
  let top = margin + 34;
  const panels = comparisons.map((comparison) => {
    const drawn = panel(comparison, top);
    top += titleHeight + comparison.figures.length * lineHeight + panelGap;
    return drawn;
  });
  const height = top;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="14" role="img" aria-label="CPU time of a call through the bare proxy, Weir and Portkey">
  <rect width="${width}" height="${height}" rx="12" fill="${paper}"/>
  <text x="${margin}" y="${margin + 10}" font-size="16" font-weight="700" fill="${ink}">CPU time, µs: less is better</text>
  <text x="${width - margin}" y="${margin + 10}" font-size="12" text-anchor="end" fill="${faint}">${escaped(caption)}</text>
${panels.join('\n')}
</svg>
`;
}

function panel({ row, figures }: Comparison, top: number): string {
  const spreads = figures.map(({ cpuMicros }) => spreadOf(cpuMicros));
  const highestMedian = Math.max(...spreads.map(({ median }) => median));
  // One round in which the machine was elsewhere must not make all bars short.
  const most = Math.min(highestMedian * 1.4, Math.max(...spreads.map(({ highest }) => highest)));
  const scale = (width - left - right) / most;
  const title = `  <text x="${margin}" y="${top + 12}" font-weight="600" fill="${ink}">${escaped(row.title)}</text>`;
  return [title, ...figures.map((of, index) => bar(of, scale, top + titleHeight + index * lineHeight))].join(
    '\n',
  );
}

function bar({ subject, cpuMicros }: Figures, scale: number, top: number): string {
  const { median, lowest, highest } = spreadOf(cpuMicros);
  const at = (value: number): number => Math.min(left + value * scale, width - right);
  const [from, to] = [at(lowest), at(highest)];
  const middle = top + barHeight / 2;
  return `  <text x="${left - 10}" y="${top + 13}" text-anchor="end" fill="${ink}">${escaped(subject)}</text>
  <rect x="${left}" y="${top}" width="${(median * scale).toFixed(1)}" height="${barHeight}" rx="3" fill="${colour(subject)}"/>
  <path d="M${from.toFixed(1)} ${middle} H${to.toFixed(1)}" stroke="${ink}" stroke-width="1.5"/>
  <text x="${(to + 8).toFixed(1)}" y="${top + 13}" fill="${ink}">${thousands(median)}</text>`;
}

function colour(subject: Figures['subject']): string {
  if (subject.startsWith('weir')) return '#3b82f6';
  return subject === 'portkey' ? '#f59e0b' : '#9ca3af';
}

function thousands(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
