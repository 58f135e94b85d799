import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './controls.tsx';
import { count } from './format.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the end of their column. */
  readonly end?: boolean;
  /** Left out where there is little room: on a phone, or also in windows that are not wide. */
  readonly wide?: boolean | 'lg' | 'xl';
  /** Gets what room the others leave, and is cut off there: names may be of any length. */
  readonly long?: boolean;
  /** Where what is in the column says enough, its title is for those who can't see it. */
  readonly plain?: boolean;
  /** The value to sort by; the column can't be sorted without one. Nothing comes last. */
  readonly sortBy?: (row: Row) => string | number | null;
}

/** The column by which rows are sorted. */
interface TableSort {
  readonly title: string;
  readonly isDescending: boolean;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  /** How many rows are shown before somebody asks for all. */
  readonly most?: number;
  readonly sort?: TableSort | undefined;
  readonly onSort?: (sort: TableSort) => void;
}

const roomFor = {
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
};

export function Table<Row>({ rows: unsorted, rowKey, columns, empty, most, sort, onSort }: TableProps<Row>) {
  const rows = sortRows(unsorted, columns, sort);
  const [all, setAll] = useState(false);
  if (rows.length === 0) return <p className="py-2 text-sm text-muted">{empty}</p>;
  const look = ({ end, wide, long }: Column<Row>) =>
    `${end === true ? 'text-right' : 'text-left'} ${wide === undefined || wide === false ? '' : roomFor[wide === true ? 'md' : wide]} ${long === true ? 'w-full max-w-0 min-w-28 truncate' : 'whitespace-nowrap'}`;
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
                  aria-sort={
                    column.title !== sort?.title ? undefined : sort.isDescending ? 'descending' : 'ascending'
                  }
                  className={`py-1.5 font-normal not-first:pl-4 ${look(column)}`}
                >
                  <Title column={column} sort={sort} onSort={onSort} />
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

interface TitleProps<Row> {
  readonly column: Column<Row>;
  readonly sort: TableSort | undefined;
  readonly onSort: ((sort: TableSort) => void) | undefined;
}

/** A click sorts figures from the largest, names from the first, and a second click the other way round. */
function Title<Row>({ column: { title, plain, end, sortBy }, sort, onSort }: TitleProps<Row>) {
  if (plain === true) return <span className="sr-only">{title}</span>;
  if (sortBy === undefined || onSort === undefined) return title;
  const isOn = sort?.title === title;
  const Arrow = sort?.isDescending === true ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      onClick={() => onSort({ title, isDescending: isOn ? !sort.isDescending : end === true })}
      className={`inline-flex items-center gap-0.5 hover:text-ink ${isOn ? 'font-medium text-ink' : ''}`}
    >
      {title}
      {isOn && <Arrow aria-hidden className="size-3" />}
    </button>
  );
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: TableSort | undefined,
): readonly Row[] {
  const sortValue = columns.find(({ title }) => title === sort?.title)?.sortBy;
  if (sortValue === undefined) return rows;
  return rows.toSorted((one, other) => {
    const [left, right] = [sortValue(one), sortValue(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : String(left).localeCompare(String(right));
    return sort?.isDescending === true ? -order : order;
  });
}
