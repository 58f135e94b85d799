import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ChartName, Summary } from '../../api/queries.ts';
import { StackedChart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/controls.tsx';
import { duration, short, usd } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';

type Shown = ChartName;
const route = getRouteApi('/');

const modelsMax = 5;

export function CostChart({ data }: { readonly data: Summary }) {
  const isFree = Number(data.total.cost_usd) === 0;
  const { chart } = route.useSearch();
  const shown = chart ?? (isFree ? 'requests' : 'cost');
  const navigate = useNavigate({ from: '/' });
  const at = useMemo(() => data.spans.map((span) => Date.parse(span.at) / 1000), [data]);
  const series = useMemo(() => seriesOf(data, shown), [data, shown]);
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
        format={formats[shown]}
        axis={axes[shown]}
        isWhole={wholes.has(shown)}
        height={240}
        onPick={(from, to) =>
          void navigate({
            to: '/requests',
            search: { from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() },
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
  errors: 'Errors over time',
  tokens: 'Tokens over time',
  latency: 'Median time to the first token',
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
  cost: dollars,
  saved: dollars,
  requests: short,
  errors: short,
  tokens: short,
  latency: duration,
};

/** The same number of digits all along, as many as tell one from the next. */
function dollars(value: number, step: number): string {
  if (step >= 1000) return `$${short(value)}`;
  const digits = step >= 1 ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9));
  return `$${value.toFixed(digits)}`;
}

/** There is no half of a request. */
const wholes: ReadonlySet<Shown> = new Set(['requests', 'errors', 'tokens']);

function seriesOf({ spans, models }: Summary, shown: Shown) {
  if (shown === 'latency')
    return [{ label: 'First token, median', values: spans.map((span) => span.first_content_ms.p50 ?? 0) }];
  if (shown === 'saved')
    return [
      {
        label: 'Saved',
        tone: 'saved' as const,
        values: spans.map((span) => Math.max(0, Number(span.saved_usd))),
      },
    ];
  if (shown === 'errors')
    return [{ label: 'Failed', tone: 'failed' as const, values: spans.map((span) => span.failed) }];
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
      { label: 'From cache', tone: 'saved' as const, values: spans.map((span) => span.cached) },
      { label: 'Failed', tone: 'failed' as const, values: spans.map((span) => span.failed) },
    ];
  const names = [...new Set(models.map(({ model }) => model))];
  const first = names.slice(0, modelsMax);
  const of = (pick: (model: string) => boolean) =>
    spans.map((span) =>
      span.models.reduce((sum, { model, cost_usd: cost }) => (pick(model) ? sum + Number(cost) : sum), 0),
    );
  return [
    ...first.map((name) => ({ label: name, values: of((model) => model === name) })),
    ...(names.length > modelsMax ? [{ label: 'Others', values: of((model) => !first.includes(model)) }] : []),
  ];
}
