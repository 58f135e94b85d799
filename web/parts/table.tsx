import { type ReactNode, useState } from 'react';
import { Button } from './controls.tsx';
import { count } from './format.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the end of their column. */
  readonly end?: boolean;
  /** Left out where there is little room. */
  readonly wide?: boolean;
  /** Gets what room the others leave, and is cut off there: names may be of any length. */
  readonly long?: boolean;
  /** Where what is in the column says enough, its title is for those who can't see it. */
  readonly plain?: boolean;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  /** How many rows are shown before somebody asks for all. */
  readonly most?: number;
}

export function Table<Row>({ rows, rowKey, columns, empty, most }: TableProps<Row>) {
  const [all, setAll] = useState(false);
  if (rows.length === 0) return <p className="py-2 text-sm text-muted">{empty}</p>;
  const look = ({ end, wide, long }: Column<Row>) =>
    `${end === true ? 'text-right' : 'text-left'} ${wide === true ? 'hidden md:table-cell' : ''} ${long === true ? 'w-full max-w-0 min-w-28 truncate' : 'whitespace-nowrap'}`;
  const isCut = most !== undefined && rows.length > most;
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="relative w-full overflow-x-auto">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-b border-line text-xs text-muted">
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  className={`py-1.5 font-normal not-first:pl-4 ${look(column)}`}
                >
                  {column.plain === true ? <span className="sr-only">{column.title}</span> : column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isCut && !all ? rows.slice(0, most) : rows).map((row) => (
              <tr key={rowKey(row)} className="border-b border-line last:border-0">
                {columns.map((column) => (
                  <td key={column.title} className={`h-9 py-1 not-first:pl-4 ${look(column)}`}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && (
        <Button look="quiet" className="-ml-3" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show ${count(most)}` : `Show all ${count(rows.length)}`}
        </Button>
      )}
    </div>
  );
}
