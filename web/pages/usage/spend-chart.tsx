import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { UsageReport } from '../../api/queries.ts';
import { StackedChart } from '../../parts/chart.tsx';
import { type Days, datesOf } from '../../parts/day-ranges.ts';
import { dollarsOnAxis, short, usd } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';

const route = getRouteApi('/usage');
const modelsMax = 5;

/** What each day cost, by model; calls where nothing cost anything. Nothing for a single day. */
export function SpendChart({ report, days }: { readonly report: UsageReport; readonly days: Days }) {
  const navigate = route.useNavigate();
  const dates = useMemo(() => datesOf(days), [days]);
  // The chart shows local time, in which midnight of UTC may be the day before.
  const at = useMemo(() => dates.map((date) => new Date(`${date}T00:00:00`).getTime() / 1000), [dates]);
  const isFree = report.days.every(({ cost_usd: cost }) => Number(cost) === 0);
  const series = useMemo(() => seriesOf(report, dates, isFree), [report, dates, isFree]);
  if (dates.length < 2 || series.length === 0) return null;
  const title = isFree ? 'Calls by day, by model' : 'Cost by day, by model';
  return (
    <Section title={title}>
      <StackedChart
        title={title}
        at={at}
        series={series}
        format={isFree ? short : usd}
        axis={isFree ? short : dollarsOnAxis}
        isWhole={isFree}
        onPick={(from, to) => {
          const picked = dates.filter((_, index) => (at[index] ?? 0) >= from && (at[index] ?? 0) < to);
          const [first] = picked;
          if (first === undefined) return;
          void navigate({
            to: '/requests',
            search: { from: `${first}T00:00:00.000Z`, to: `${picked.at(-1)}T23:59:59.999Z` },
          });
        }}
      />
    </Section>
  );
}

function seriesOf(report: UsageReport, dates: readonly string[], isFree: boolean) {
  const byDate = new Map(report.days.map((day) => [day.day, day.models]));
  const amountOf = (figures: UsageReport['models'][number]) =>
    isFree ? figures.requests : Number(figures.cost_usd);
  const sums = new Map<string, number>();
  for (const figures of report.models)
    sums.set(figures.model, (sums.get(figures.model) ?? 0) + amountOf(figures));
  const names = [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const first = names.slice(0, modelsMax);
  const of = (pick: (model: string) => boolean) =>
    dates.map((date) =>
      (byDate.get(date) ?? []).reduce((sum, one) => (pick(one.model) ? sum + amountOf(one) : sum), 0),
    );
  return [
    ...first.map((name) => ({ label: name, values: of((model) => model === name) })),
    ...(names.length > modelsMax ? [{ label: 'Others', values: of((model) => !first.includes(model)) }] : []),
  ];
}
