import { getRouteApi } from '@tanstack/react-router';
import { type Column, Table } from '../../parts/table.tsx';
import { figureColumns, type UsageRow } from './figure-columns.tsx';

const route = getRouteApi('/usage');
const rowsMax = 100;

/** Rows of usage, in the order that the address names. */
export function UsageTable({ title, rows }: { readonly title: string; readonly rows: readonly UsageRow[] }) {
  const { sort } = route.useSearch();
  const navigate = route.useNavigate();
  const columns: readonly Column<UsageRow>[] = [
    { title, long: true, cell: ({ label }) => label, sortBy: ({ name }) => name },
    ...figureColumns,
  ];
  return (
    <Table
      rows={rows}
      rowKey={({ name }) => name}
      columns={columns}
      most={rowsMax}
      sort={
        sort === undefined ? undefined : { title: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }
      }
      onSort={(next) =>
        void navigate({
          search: (before) => ({ ...before, sort: `${next.isDescending ? '-' : ''}${next.title}` }),
          replace: true,
          resetScroll: false,
        })
      }
      empty="No usage in this period."
    />
  );
}
