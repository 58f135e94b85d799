import type { ErrorsByCause, Summary } from '../../api/queries.ts';
import { type CauseGroup, filterOfErrors, groupByCause } from '../../parts/causes.ts';
import type { Series } from '../../parts/chart-series.ts';

const causesMax = 6;

type ErrorCounts = Pick<ErrorsByCause, 'from' | 'step_seconds' | 'causes'>;

/**
 * The causes with the most errors, each with the filter of its calls since a time, and all others. What is not known of a
 * span yet is among the others.
 */
export function errorSeriesOf(
  spans: readonly Pick<Summary['spans'][number], 'at' | 'failed'>[],
  errors: ErrorCounts | undefined,
  since: string,
): readonly Series[] {
  if (errors === undefined)
    return [{ label: 'Failed', tone: 'failed', values: spans.map(({ failed }) => failed) }];
  const shades = { refused: 0, failed: 0 };
  const shown = groupByCause(errors.causes)
    .slice(0, causesMax)
    .map((group): Series => {
      const counts = countsByTime(group, errors);
      return {
        label: group.cause,
        tone: group.tone,
        shade: shades[group.tone]++,
        values: spans.map(({ at }) => counts.get(Date.parse(at)) ?? 0),
        calls: { ...filterOfErrors(group.errors), from: since },
      };
    });
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

function countsByTime(
  { errors }: CauseGroup<ErrorCounts['causes'][number]>,
  { from, step_seconds: stepSeconds }: ErrorCounts,
): ReadonlyMap<number, number> {
  const byTime = new Map<number, number>();
  for (const [step, count] of errors.flatMap(({ counts }) => [...counts.entries()])) {
    const atMs = Date.parse(from) + step * stepSeconds * 1000;
    byTime.set(atMs, (byTime.get(atMs) ?? 0) + count);
  }
  return byTime;
}
