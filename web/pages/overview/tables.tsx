import { Link } from '@tanstack/react-router';
import { type RangeName, rangeStart, type Summary } from '../../api/queries.ts';
import { count, duration, exactUsd, percent, short, usd } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';

export function ByModel({
  models,
  range,
}: {
  readonly models: Summary['models'];
  readonly range: RangeName;
}) {
  return (
    <Section title="By model">
      <Table
        rows={models.slice(0, 12)}
        rowKey={({ provider, model }) => `${provider} ${model}`}
        columns={[
          {
            title: 'Model',
            cell: ({ provider, model }) => (
              <Link
                to="/requests"
                search={{ model, from: rangeStart(range).toISOString() }}
                className="hover:underline"
              >
                <span className="font-mono text-xs">{model}</span>
                {provider !== null && <span className="ml-2 text-xs text-muted">{provider}</span>}
              </Link>
            ),
          },
          { title: 'Requests', end: true, cell: ({ requests }) => count(requests) },
          {
            title: 'Tokens',
            end: true,
            cell: ({ input_tokens, output_tokens }) => short(input_tokens + output_tokens),
          },
          {
            title: 'First token',
            end: true,
            wide: true,
            cell: ({ first_content_ms }) => duration(first_content_ms.p50),
          },
          {
            title: 'Cost',
            end: true,
            cell: ({ cost_usd }) => <span title={exactUsd(cost_usd)}>{usd(cost_usd)}</span>,
          },
        ]}
        empty="No calls in this time."
      />
    </Section>
  );
}

/** What each module was seen to do. */
export function ByModule({ modules }: { readonly modules: Summary['modules'] }) {
  return (
    <Section title="What each module did">
      <Table
        rows={modules}
        rowKey={({ name }) => name}
        columns={[
          {
            title: 'Module',
            cell: ({ name }) => (
              <Link to="/modules" search={{ open: name }} className="font-mono text-xs hover:underline">
                {name}
              </Link>
            ),
          },
          { title: 'Calls', end: true, cell: ({ calls }) => count(calls) },
          {
            title: 'Acted',
            end: true,
            cell: ({ calls, effects }) => percent(calls - (effects.passed ?? 0), calls),
          },
          { title: 'Own time', end: true, wide: true, cell: ({ ms }) => duration(ms) },
          {
            title: 'Saved',
            end: true,
            cell: ({ saved_usd }) => (
              <span title={exactUsd(saved_usd)} className={Number(saved_usd) > 0 ? 'text-saved' : ''}>
                {usd(saved_usd)}
              </span>
            ),
          },
        ]}
        empty="No module had a part in the calls of this time."
      />
    </Section>
  );
}
