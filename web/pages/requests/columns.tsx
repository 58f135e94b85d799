import type { ReactNode } from 'react';
import type { LoggedCall } from '../../api/queries.ts';
import { costOf, count, duration, exactUsd, short, usd } from '../../parts/format.ts';
import { Badge } from '../../parts/states.tsx';
import type { LogSort } from './search.ts';
import { tagTexts } from './tag-texts.ts';
import { unitTexts } from './unit-texts.ts';
import { verdictOf } from './verdict.ts';

/** The name of a key by its id. */
export type KeyName = (id: string) => string;

interface LogColumn {
  readonly title: string;
  /** In rem. */
  readonly width: number;
  /** Figures stand at the end of their column. */
  readonly end?: boolean;
  readonly sort?: LogSort;
  readonly cell: (call: LoggedCall, keyName: KeyName) => ReactNode;
}

/** Beside time and model, which every row has. */
const logColumns = {
  result: { title: 'Result', width: 11, cell: (call) => <Result call={call} /> },
  provider: { title: 'Provider', width: 6, cell: ({ provider }) => name(provider) },
  key: { title: 'Key', width: 8, cell: ({ key_id: id }, keyName) => name(id === null ? null : keyName(id)) },
  client: { title: 'Client', width: 8, cell: ({ client }) => name(client) },
  end_user: { title: 'End user', width: 8, cell: ({ end_user: user }) => name(user) },
  tags: { title: 'Tags', width: 10, cell: ({ tags }) => name(tagTexts(tags).join(', ') || null) },
  conversation: { title: 'Conversation', width: 9, cell: ({ conversation }) => name(conversation) },
  tokens: { title: 'Tokens', width: 4.5, end: true, sort: 'tokens', cell: (call) => short(tokensOf(call)) },
  input: {
    title: 'Input',
    width: 4.5,
    end: true,
    cell: (call) => short(sumOf([call.input_tokens, call.cache_read_tokens, call.cache_write_tokens])),
  },
  cached: { title: 'Cached', width: 4.5, end: true, cell: (call) => short(call.cache_read_tokens) },
  output: { title: 'Output', width: 4.5, end: true, cell: (call) => count(call.output_tokens) },
  units: { title: 'Units', width: 7, cell: ({ units }) => name(unitTexts(units).join(', ') || null) },
  first_token: {
    title: 'First token',
    width: 5.5,
    end: true,
    cell: (call) => duration(call.first_content_ms),
  },
  total: {
    title: 'Duration',
    width: 5,
    end: true,
    sort: 'duration',
    cell: (call) => duration(call.total_ms),
  },
  overhead: { title: 'Weir added', width: 5, end: true, cell: (call) => duration(call.overhead_ms) },
  cost: {
    title: 'Cost',
    width: 5.5,
    end: true,
    sort: 'cost',
    cell: (call) => <span title={exactUsd(call.cost_usd)}>{costOf(call)}</span>,
  },
  saved: {
    title: 'Saved',
    width: 5,
    end: true,
    cell: ({ saved_usd: saved }) => <span title={exactUsd(saved)}>{usd(saved)}</span>,
  },
  stop_reason: { title: 'Stop reason', width: 6.5, cell: ({ stop_reason: reason }) => name(reason) },
} as const satisfies Readonly<Record<string, LogColumn>>;

export type ColumnName = keyof typeof logColumns;
export const columnNames = Object.keys(logColumns) as readonly ColumnName[];
export const defaultColumns: readonly ColumnName[] = ['result', 'tokens', 'first_token', 'total', 'cost'];

export function columnOf(name: ColumnName): LogColumn {
  return logColumns[name];
}

/** In the order of the table, without names of other versions. */
export function readColumns(stored: string): readonly ColumnName[] {
  const chosen = new Set(stored.split(','));
  return columnNames.filter((name) => chosen.has(name));
}

const timeRem = 8;
const modelRem = 11;
const gapRem = 0.75;

/** The columns that fit into this width. */
export function fittingColumns(chosen: readonly ColumnName[], widthPx: number): readonly ColumnName[] {
  let left = widthPx / 16 - 1 - timeRem - modelRem - gapRem;
  const fitting: ColumnName[] = [];
  // The result, what it took and what it cost say most.
  const byWorth = chosen.toSorted((one, other) => worthOf(other) - worthOf(one));
  for (const name of byWorth) {
    const needed = columnOf(name).width + gapRem;
    if (needed > left) continue;
    left -= needed;
    fitting.push(name);
  }
  return chosen.filter((name) => fitting.includes(name));
}

function worthOf(name: ColumnName): number {
  return ['total', 'cost', 'result'].indexOf(name);
}

/** For CSS grids. */
export function gridTemplate(columns: readonly ColumnName[]): string {
  const widths = columns.map((name) => `${columnOf(name).width}rem`);
  return [`${timeRem}rem`, 'minmax(0,1fr)', ...widths].join(' ');
}

/** Only what differs from a good answer has a colour. */
export function Result({ call }: { readonly call: LoggedCall }) {
  const { tone, text } = verdictOf(call);
  if (tone === 'plain') return <span className="text-xs text-muted">{text}</span>;
  return (
    <Badge tone={tone}>
      <span className="truncate" title={text}>
        {text}
      </span>
    </Badge>
  );
}

function tokensOf(call: LoggedCall): number | null {
  return sumOf([call.input_tokens, call.cache_read_tokens, call.cache_write_tokens, call.output_tokens]);
}

function sumOf(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((tokens) => tokens !== null);
  return known.length === 0 ? null : known.reduce((sum, some) => sum + some, 0);
}

function name(text: string | null): ReactNode {
  return text === null ? (
    <span className="text-muted">–</span>
  ) : (
    <bdi className="block truncate text-xs" title={text}>
      {text}
    </bdi>
  );
}
