import { Link } from '@tanstack/react-router';
import type { paths } from '../../api/schema.ts';
import { count, dateOf, timeOf, utc } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';

type Row =
  paths['/v1/recordings']['get']['responses'][200]['content']['application/json']['recordings'][number];

export function RecordedCalls({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Table
      rows={rows}
      rowKey={({ id }) => id}
      empty=""
      columns={[
        {
          title: 'Time',
          cell: ({ created_at: at }) => <span title={utc(at)}>{timeOf(at)}</span>,
        },
        {
          title: 'Request',
          long: true,
          cell: ({ id }) => (
            <Link
              to="/requests"
              search={{ open: id }}
              className="font-mono text-xs text-accent hover:underline"
            >
              {id}
            </Link>
          ),
        },
        { title: 'Stored bytes', end: true, wide: true, cell: ({ stored_bytes: bytes }) => count(bytes) },
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
