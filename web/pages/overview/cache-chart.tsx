import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Summary } from '../../api/queries.ts';
import { StackedChart } from '../../parts/chart.tsx';
import type { Line } from '../../parts/chart-lines.ts';
import { Choice } from '../../parts/controls.tsx';
import { dollarsOnAxis, percent, usd } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';
import { seriesByModel } from './model-series.ts';

const route = getRouteApi('/');
const share = (value: number) => percent(value, 1);

/** How much comes from caches over time, and what the rest costs. */
export function CacheChart({ data }: { readonly data: Summary }) {
  const { caches: shown = 'hits' } = route.useSearch();
  const navigate = useNavigate({ from: '/' });
  const at = useMemo(() => data.spans.map((span) => Date.parse(span.at) / 1000), [data]);
  const [series, lines] = useMemo(
    () =>
      shown === 'hits'
        ? [[], hitsOf(data.spans)]
        : [seriesByModel(data, ({ cache_miss_usd: cost }) => Number(cost)), []],
    [data, shown],
  );
  const { input_tokens: input, cache_read_tokens: read, cached, requests, cache_miss_usd: cost } = data.total;
  if (input === 0) return null;
  const common = { at, series, lines, height: 160 };
  return (
    <Section
      title={titles[shown]}
      aside={
        <Choice
          label="What the chart of caches shows"
          value={shown}
          options={[
            ['hits', 'Hits'],
            ['misses', 'Misses'],
          ]}
          onChange={(next) =>
            void navigate({
              to: '/',
              search: (before) => ({ ...before, caches: next === 'hits' ? undefined : next }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      <p className="text-xs text-muted">
        {shown === 'hits'
          ? `Providers read ${percent(read, input)} of the input from their caches. Weir answered ${percent(cached, requests)} of the requests from its own.`
          : `Input that providers did not read from their caches cost ≈ ${usd(cost)} more than a cache read would have. New input always counts, so caches can save a part of it only.`}
      </p>
      {shown === 'hits' ? (
        <StackedChart {...common} title={titles.hits} format={share} axis={share} most={1} />
      ) : (
        <StackedChart {...common} title={titles.misses} format={usd} axis={dollarsOnAxis} />
      )}
    </Section>
  );
}

const titles = { hits: 'Cache hits over time', misses: 'Cost of cache misses, by model' } as const;

function hitsOf(spans: Summary['spans']): readonly Line[] {
  return [
    {
      label: 'Input from provider caches',
      tone: 'accent',
      values: spans.map(({ cache_read_tokens: read, input_tokens: input }) =>
        input === 0 ? null : read / input,
      ),
    },
    {
      label: 'Requests from Weir’s caches',
      tone: 'saved',
      values: spans.map(({ cached, requests }) => (requests === 0 ? null : cached / requests)),
    },
  ];
}
