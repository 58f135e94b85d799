import { useMemo } from 'react';
import { count, percent, short, usd } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { TimelineItem } from './timeline.ts';
import { toolSumsOf } from './tool-sums.ts';

/** What the results of each tool cost to read; nothing if no tool was called. */
export function ToolCosts({ items }: { readonly items: readonly TimelineItem[] }) {
  const sums = useMemo(() => toolSumsOf(items), [items]);
  if (sums.length === 0) return null;
  const allUsd = sums.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return (
    <Section title="Cost by tool" aside="Of the calls that read its results">
      <Table
        rows={sums}
        rowKey={({ name }) => name ?? ''}
        most={12}
        empty=""
        columns={[
          {
            title: 'Tool',
            long: true,
            cell: ({ name }) =>
              name === null ? (
                <span className="text-muted">Prompts and other calls</span>
              ) : (
                <bdi className="font-mono text-xs" title={name}>
                  {name}
                </bdi>
              ),
          },
          { title: 'Called', end: true, cell: ({ name, calls }) => (name === null ? '–' : count(calls)) },
          {
            title: 'Tokens of results',
            end: true,
            wide: true,
            cell: ({ name, tokens }) => (name === null ? '–' : short(Math.round(tokens))),
          },
          { title: 'Share', end: true, cell: ({ costUsd }) => percent(costUsd, allUsd) },
          {
            title: 'Cost',
            end: true,
            cell: ({ costUsd }) => usd(costUsd),
          },
        ]}
      />
    </Section>
  );
}
