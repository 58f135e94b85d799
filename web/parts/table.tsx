import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the end of their column. */
  readonly end?: boolean;
  /** Left out where there is little room. */
  readonly wide?: boolean;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
}

export function Table<Row>({ rows, rowKey, columns, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p className="py-2 text-sm text-muted">{empty}</p>;
  const look = ({ end, wide }: Column<Row>) =>
    `${end === true ? 'text-right' : 'text-left'} ${wide === true ? 'hidden md:table-cell' : ''}`;
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={`py-1.5 font-normal not-first:pl-4 ${look(column)}`}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-b border-line last:border-0">
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={`h-9 py-1 whitespace-nowrap not-first:pl-4 ${look(column)}`}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
