import { type ChartName, chartNames, type RangeName } from '../../api/queries.ts';
import { isRangeName, oneOf, type SearchParams } from '../../parts/search-params.ts';

interface OverviewSearch {
  readonly range?: RangeName;
  readonly chart?: ChartName;
  /** What the chart of caches shows in place of hits. */
  readonly caches?: 'misses' | undefined;
}

export function overviewSearch({ range, chart, caches }: SearchParams): OverviewSearch {
  const shown = oneOf(chart, chartNames);
  return {
    ...(isRangeName(range) && { range }),
    ...(shown !== undefined && { chart: shown }),
    ...(caches === 'misses' && { caches }),
  };
}
