import { Link } from '@tanstack/react-router';
import type { paths } from '../../api/schema.ts';
import { bytes, costOf, count, dateOf, duration, exactUsd, timeOf, utc } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { Result } from '../requests/columns.tsx';

type Row =
  paths['/v1/recordings']['get']['responses'][200]['content']['application/json']['recordings'][number];

/** With what the log knows of the calls; it may have forgotten some. */
export function RecordedCalls({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Table
      rows={rows}
      rowKey={({ id }) => id}
      empty="No recordings match."
      columns={[
        {
          title: 'Time',
          cell: ({ id, created_at: at }) => (
            <Link
              to="/requests"
              search={{ open: id }}
              title={`${utc(at)}, ${id}`}
              className="text-accent hover:underline"
            >
              {timeOf(at)}
            </Link>
          ),
        },
        {
          title: 'Model',
          long: true,
          cell: ({ call }) =>
            call === null ? (
              <span className="text-muted">No longer in the log</span>
            ) : (
              <bdi className="font-mono text-xs" title={call.model_used ?? call.model}>
                {call.model_used ?? call.model}
              </bdi>
            ),
        },
        {
          title: 'Result',
          wide: true,
          cell: ({ call }) => (call === null ? '–' : <Result call={call} />),
        },
        {
          title: 'Duration',
          end: true,
          wide: true,
          cell: ({ call }) => (call === null ? '–' : duration(call.total_ms)),
        },
        {
          title: 'Cost',
          end: true,
          cell: ({ call }) =>
            call === null ? '–' : <span title={exactUsd(call.cost_usd)}>{costOf(call)}</span>,
        },
        {
          title: 'Size',
          end: true,
          cell: ({ stored_bytes: size }) => <span title={`${count(size)} bytes stored`}>{bytes(size)}</span>,
        },
        {
          title: 'Deleted on',
          end: true,
          wide: true,
          cell: ({ expires_at: at }) => <span title={utc(at)}>{dateOf(at)}</span>,
        },
      ]}
    />
  );
}
