import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type ChartName, errorsByCause, type RangeName, ranges, type Summary } from '../../api/queries.ts';
import { StackedChart } from '../../parts/chart.tsx';
import { type Line, valuesBefore } from '../../parts/chart-lines.ts';
import type { Series } from '../../parts/chart-series.ts';
import { Choice } from '../../parts/controls.tsx';
import { dollarsOnAxis, duration, short, usd } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';
import { errorSeriesOf } from './error-series.ts';
import { seriesByModel } from './model-series.ts';

type Shown = ChartName;
const route = getRouteApi('/');

const hourMs = 3_600_000;

interface CostChartProps {
  readonly data: Summary;
  readonly range: RangeName;
  /** The period before; undefined while it loads. */
  readonly before: Summary | undefined;
}

export function CostChart({ data, range, before }: CostChartProps) {
  const isFree = Number(data.total.cost_usd) === 0;
  const { chart } = route.useSearch();
  const shown = chart ?? (isFree ? 'requests' : 'cost');
  const navigate = useNavigate({ from: '/' });
  const at = useMemo(() => data.spans.map((span) => Date.parse(span.at) / 1000), [data]);
  const { data: errors } = useQuery({ ...errorsByCause(range), enabled: shown === 'errors' });
  const series = useMemo(
    () => (shown === 'errors' ? errorSeriesOf(data.spans, errors, data.from) : seriesOf(data, shown)),
    [data, shown, errors],
  );
  const lines = useMemo(() => linesOf(data, before, range, shown), [data, before, range, shown]);
  return (
    <Section
      title={titles[shown]}
      aside={
        <Choice
          label="What the chart shows"
          value={shown}
          options={[
            ['cost', 'Cost'],
            ['saved', 'Saved'],
            ['requests', 'Requests'],
            ['errors', 'Errors'],
            ['tokens', 'Tokens'],
            ['latency', 'First token'],
          ]}
          onChange={(next) =>
            void navigate({
              to: '/',
              search: (before) => ({ ...before, chart: next }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      <StackedChart
        title={titles[shown]}
        at={at}
        series={series}
        lines={lines}
        format={formats[shown]}
        axis={axes[shown]}
        isWhole={wholes.has(shown)}
        height={240}
        onPick={(from, to) =>
          void navigate({
            to: '/requests',
            search: {
              ...(shown === 'errors' && { status: 'error' }),
              from: new Date(from * 1000).toISOString(),
              to: new Date(to * 1000).toISOString(),
            },
          })
        }
      />
    </Section>
  );
}

const titles: Readonly<Record<Shown, string>> = {
  cost: 'Cost over time, by model',
  saved: 'Saved by modules over time',
  requests: 'Requests over time',
  errors: 'Errors over time, by cause',
  tokens: 'Tokens over time',
  latency: 'Time to the first token',
};
const formats: Readonly<Record<Shown, (value: number) => string>> = {
  cost: usd,
  saved: usd,
  requests: short,
  errors: short,
  tokens: short,
  latency: duration,
};

const axes: Readonly<Record<Shown, (value: number, step: number) => string>> = {
  cost: dollarsOnAxis,
  saved: dollarsOnAxis,
  requests: short,
  errors: short,
  tokens: short,
  latency: duration,
};

/** There is no half of a request. */
const wholes: ReadonlySet<Shown> = new Set(['requests', 'errors', 'tokens']);

type Span = Summary['spans'][number];

/** What all series of a chart come to. */
const totals: Readonly<Record<Shown, (span: Span) => number | null>> = {
  cost: (span) => Number(span.cost_usd),
  saved: (span) => Math.max(0, Number(span.saved_usd)),
  requests: (span) => span.requests,
  errors: (span) => span.failed,
  tokens: (span) => span.input_tokens + span.output_tokens,
  latency: (span) => span.first_content_ms.p50,
};

function linesOf(
  data: Summary,
  before: Summary | undefined,
  range: RangeName,
  shown: Shown,
): readonly Line[] {
  const lines: Line[] = [];
  if (shown === 'latency')
    lines.push({ label: '95th percentile', values: data.spans.map((span) => span.first_content_ms.p95) });
  if (before === undefined) return lines;
  const values = valuesBefore({
    starts: data.spans.map(({ at }) => Date.parse(at)),
    stepMs: data.step_seconds * 1000,
    before: before.spans.map((span) => ({ atMs: Date.parse(span.at), value: totals[shown](span) })),
    beforeStepMs: before.step_seconds * 1000,
    byMs: ranges[range] * hourMs,
    isSum: shown !== 'latency',
  });
  const label = shown === 'latency' ? 'Median of the period before' : 'Period before';
  const isCoarser = before.step_seconds > data.step_seconds;
  return [
    ...lines,
    { label: isCoarser ? `${label}, ${stepText(before.step_seconds)}` : label, values, isBefore: true },
  ];
}

/** How far apart the values are that a line is drawn from. */
function stepText(seconds: number): string {
  if (seconds === 86_400) return 'by the day';
  return seconds === 3600 ? 'by the hour' : `by ${seconds / 60} minutes`;
}

function seriesOf(data: Summary, shown: Exclude<Shown, 'errors'>): readonly Series[] {
  const { spans } = data;
  if (shown === 'latency')
    return [{ label: 'Median', values: spans.map((span) => span.first_content_ms.p50 ?? 0) }];
  if (shown === 'saved')
    return [
      {
        label: 'Saved',
        tone: 'saved',
        values: spans.map((span) => Math.max(0, Number(span.saved_usd))),
      },
    ];
  if (shown === 'tokens')
    return [
      {
        label: 'In',
        values: spans.map((span) => span.input_tokens - span.cache_read_tokens - span.cache_write_tokens),
      },
      { label: 'Cache written', values: spans.map((span) => span.cache_write_tokens) },
      { label: 'Cache read', values: spans.map((span) => span.cache_read_tokens) },
      { label: 'Out', values: spans.map((span) => span.output_tokens) },
    ];
  if (shown === 'requests')
    return [
      {
        label: 'Answered by a provider',
        values: spans.map((span) => span.requests - span.failed - span.cached),
      },
      { label: 'From cache', tone: 'saved', values: spans.map((span) => span.cached) },
      { label: 'Failed', tone: 'failed', values: spans.map((span) => span.failed) },
    ];
  return seriesByModel(data, ({ cost_usd: cost }) => Number(cost));
}
