import type { ReactNode } from 'react';
import { count, exactUsd, percent, short, usd } from '../../parts/format.ts';
import type { Column } from '../../parts/table.tsx';

/** What a key, a model, an end user or a day came to. */
export interface UsageRow {
  readonly name: string;
  readonly label: ReactNode;
  readonly requests: number;
  readonly failed: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cost_usd: string;
}

export const figureColumns: readonly Column<UsageRow>[] = [
  { title: 'Calls', end: true, cell: ({ requests }) => count(requests), sortBy: ({ requests }) => requests },
  {
    title: 'Failed',
    end: true,
    wide: true,
    cell: ({ failed, requests }) => percent(failed, requests),
    sortBy: ({ failed, requests }) => failed / Math.max(1, requests),
  },
  { title: 'Input', end: true, wide: true, cell: (row) => short(inputOf(row)), sortBy: inputOf },
  {
    title: 'Cached',
    end: true,
    wide: true,
    cell: (row) => (
      <span title="Share of the input that the provider read from its cache">
        {percent(row.cache_read_tokens, inputOf(row))}
      </span>
    ),
    sortBy: (row) => row.cache_read_tokens / Math.max(1, inputOf(row)),
  },
  {
    title: 'Output',
    end: true,
    wide: true,
    cell: (row) => short(row.output_tokens),
    sortBy: (row) => row.output_tokens,
  },
  {
    title: 'Cost',
    end: true,
    cell: ({ cost_usd: cost }) => <span title={exactUsd(cost)}>{usd(cost)}</span>,
    sortBy: ({ cost_usd: cost }) => Number(cost),
  },
];

/** With what was read from or written to the provider's cache. */
function inputOf({ input_tokens, cache_read_tokens, cache_write_tokens }: UsageRow): number {
  return input_tokens + cache_read_tokens + cache_write_tokens;
}
