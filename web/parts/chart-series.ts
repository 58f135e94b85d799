import type { Line } from './chart-lines.ts';

export type Tone = 'accent' | 'saved' | 'refused' | 'failed' | 'muted';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
  /** The colour of what it means; by default one of its own. */
  readonly tone?: Tone | undefined;
  /** Of several with the same tone: the first is the darkest. */
  readonly shade?: number | undefined;
  /** The calls that it counts: its name leads to them. */
  readonly calls?: CallFilter | undefined;
}

/** A part of the filters of the log. */
interface CallFilter {
  readonly search?: string;
  readonly provider?: string;
  readonly status?: string;
  readonly from?: string;
}

const palette = ['#2a9aa8', '#8296d4', '#d5a45c', '#93b97b', '#b487ad', '#87959c'];
const shades = [100, 68, 44, 28, 18];

export function colorOf({ tone, shade = 0 }: Series, index: number): string {
  if (tone === undefined) return palette[index % palette.length] ?? '';
  const share = shades[Math.min(shade, shades.length - 1)];
  return `color-mix(in srgb, var(--color-${tone}) ${share}%, var(--color-surface))`;
}

export function colorOfLine({ isBefore = false, tone = 'refused' }: Line): string {
  return `var(--color-${isBefore ? 'muted' : tone})`;
}

/** Without those that are empty, unless all are. */
export function presentIn(series: readonly Series[]): readonly Series[] {
  const present = series.filter(({ values }) => values.some((value) => value > 0));
  return present.length === 0 ? series.slice(0, 1) : present;
}

/** The first is drawn behind all others, so each value is the sum of its own and those after it. */
export function stack(series: readonly Series[]): number[][] {
  const sums: number[] = [];
  return series
    .toReversed()
    .map(({ values }) =>
      values.map((value, at) => {
        sums[at] = (sums[at] ?? 0) + value;
        return sums[at] ?? 0;
      }),
    )
    .toReversed();
}
