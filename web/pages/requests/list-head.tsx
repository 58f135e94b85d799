import { ArrowDown } from 'lucide-react';
import { type ColumnName, columnOf } from './columns.tsx';
import type { LogSort } from './search.ts';

interface HeadProps {
  readonly columns: readonly ColumnName[];
  /** Undefined where the newest come first. */
  readonly sort: LogSort | undefined;
  readonly onSort: (sort: LogSort | undefined) => void;
}

/** Stays on the screen. A phone shows calls as cards, which have no columns. */
export function ListHead({ columns, sort, onSort }: HeadProps) {
  return (
    <div className="sticky top-0 z-10 -mx-2 hidden h-8 items-center gap-x-3 border-b border-line bg-canvas px-2 text-xs text-muted md:grid md:grid-cols-(--log-columns)">
      <SortButton title="Time" isOn={sort === undefined} onSort={() => onSort(undefined)} />
      <span aria-hidden>Model</span>
      {columns.map((name) => {
        const { title, end, sort: by } = columnOf(name);
        const look = end === true ? 'text-right' : '';
        return (
          <span key={name} className={`whitespace-nowrap ${look}`}>
            {by === undefined ? (
              <span aria-hidden>{title}</span>
            ) : (
              <SortButton title={title} isOn={sort === by} onSort={() => onSort(by)} />
            )}
          </span>
        );
      })}
    </div>
  );
}

interface SortButtonProps {
  readonly title: string;
  readonly isOn: boolean;
  readonly onSort: () => void;
}

/** Only downwards: the newest, most expensive or slowest calls are those that people look for. */
function SortButton({ title, isOn, onSort }: SortButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      aria-label={`Sort by ${title.toLowerCase()}`}
      onClick={onSort}
      className="inline-flex items-center gap-0.5 hover:text-ink aria-pressed:font-medium aria-pressed:text-ink"
    >
      {title}
      {isOn && <ArrowDown aria-hidden className="size-3" />}
    </button>
  );
}
