import type { ErrorsByCause, Summary } from '../../api/queries.ts';
import { causeOf, toneOf } from '../../parts/causes.ts';
import type { Series } from '../../parts/chart.tsx';

const causesMax = 6;

interface CauseSeries {
  readonly tone: 'refused' | 'failed';
  count: number;
  readonly byTime: Map<number, number>;
}

/** The causes with the most errors, and all others. What is not known of a span yet is among the others. */
export function errorSeriesOf(
  spans: readonly Pick<Summary['spans'][number], 'at' | 'failed'>[],
  errors: Pick<ErrorsByCause, 'from' | 'step_seconds' | 'causes'> | undefined,
): readonly Series[] {
  if (errors === undefined)
    return [{ label: 'Failed', tone: 'failed', values: spans.map(({ failed }) => failed) }];
  // Equal ones stay in their places when the chart is read again.
  const causes = [...byWords(errors)]
    .sort(([one, { count }], [other, { count: otherCount }]) => otherCount - count || (one < other ? -1 : 1))
    .slice(0, causesMax);
  const shades = { refused: 0, failed: 0 };
  const shown = causes.map(([label, { tone, byTime }]) => ({
    label,
    tone,
    shade: shades[tone]++,
    values: spans.map(({ at }) => byTime.get(Date.parse(at)) ?? 0),
  }));
  const others = spans.map(({ failed }, span) =>
    Math.max(0, failed - shown.reduce((sum, { values }) => sum + (values[span] ?? 0), 0)),
  );
  return [
    ...shown,
    {
      label: shown.length === 0 ? 'Failed' : 'Other causes',
      tone: shown.length === 0 ? 'failed' : 'muted',
      values: others,
    },
  ];
}

/** Several errors may have the same cause, in words. */
function byWords({
  from,
  step_seconds: stepSeconds,
  causes,
}: Pick<ErrorsByCause, 'from' | 'step_seconds' | 'causes'>): ReadonlyMap<string, CauseSeries> {
  const all = new Map<string, CauseSeries>();
  for (const { counts, ...error } of causes) {
    const label = causeOf(error);
    const series = all.get(label) ?? {
      tone: toneOf(error.status),
      count: 0,
      byTime: new Map<number, number>(),
    };
    all.set(label, series);
    series.count += error.count;
    for (const [step, count] of counts.entries()) {
      const atMs = Date.parse(from) + step * stepSeconds * 1000;
      series.byTime.set(atMs, (series.byTime.get(atMs) ?? 0) + count);
    }
  }
  return all;
}
