import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useRef } from 'react';
import type { LoggedCall } from '../../api/queries.ts';
import { costOf, duration, exactUsd, timeOf, utc } from '../../parts/format.ts';
import { useWidth } from '../../parts/use-width.ts';
import { type ColumnName, columnOf, fittingColumns, gridTemplate, type KeyName, Result } from './columns.tsx';
import { ListHead } from './list-head.tsx';
import type { LogSort } from './search.ts';

interface ListProps {
  readonly calls: readonly LoggedCall[];
  readonly columns: readonly ColumnName[];
  readonly sort: LogSort | undefined;
  readonly onSort: (sort: LogSort | undefined) => void;
  readonly keyName: KeyName;
  readonly open: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

const rowHeight = 44;
const headHeight = 32;

/** Only what is on the screen is drawn; the next page is asked for before its end is reached. */
export function RequestList(props: ListProps) {
  const { calls, open, keyName, onOpen, hasMore, isLoadingMore, onMore, sort } = props;
  const box = useRef<HTMLDivElement>(null);
  const columns = fittingColumns(props.columns, useWidth(box));
  const rows = useWindowVirtualizer({
    count: calls.length,
    getItemKey: (index) => calls[index]?.id ?? index,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: box.current?.offsetTop ?? 0,
    // No row hides behind the head.
    scrollPaddingStart: headHeight,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= calls.length - 10) onMore();
  }, [last, calls.length, hasMore, isLoadingMore, onMore]);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const at = calls.findIndex(({ id }) => id === open);
    // Once: the list must not jump back to the open call when further calls are loaded.
    const isHidden = box.current?.offsetParent === null;
    if (at >= 0 && !isHidden && shown.current !== open) rows.scrollToIndex(at, { align: 'auto' });
    if (at >= 0 || open === undefined) shown.current = open;
  }, [open, calls, rows]);
  return (
    <div style={{ '--log-columns': gridTemplate(columns) } as CSSProperties}>
      <ListHead columns={columns} sort={sort} onSort={props.onSort} />
      <div ref={box} className="relative" style={{ height: rows.getTotalSize() }}>
        <ul aria-label={sort === undefined ? 'Requests, the newest first' : `Requests by ${sort}`}>
          {items.map(({ index, start, key }) => {
            const call = calls[index];
            if (call === undefined) return null;
            return (
              <li
                key={key}
                className="absolute -inset-x-2 top-0"
                style={{ height: rowHeight, transform: `translateY(${start - rows.options.scrollMargin}px)` }}
              >
                <Row
                  call={call}
                  columns={columns}
                  keyName={keyName}
                  isOpen={call.id === open}
                  onOpen={onOpen}
                />
              </li>
            );
          })}
        </ul>
      </div>
      <p className="py-3 text-center text-xs text-muted" role="status">
        {isLoadingMore
          ? calls.length === 0
            ? 'Searching older calls…'
            : 'Loading more…'
          : hasMore
            ? ''
            : 'No more calls.'}
      </p>
    </div>
  );
}

interface RowProps {
  readonly call: LoggedCall;
  readonly columns: readonly ColumnName[];
  readonly keyName: KeyName;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

function Row({ call, columns, keyName, isOpen, onOpen }: RowProps) {
  const source = [
    call.asked_by === null ? call.provider : `call of ${call.asked_by}`,
    call.client,
    call.key_id === null ? null : keyName(call.key_id),
    call.agent,
  ].filter((part) => part !== null);
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onOpen(call.id)}
      className="grid h-11 w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-2 text-left text-sm hover:bg-sunken aria-expanded:bg-accent-soft md:grid-cols-(--log-columns)"
    >
      <span className="hidden text-muted md:block" title={utc(call.created_at)}>
        {timeOf(call.created_at)}
      </span>
      <span className="flex min-w-0 flex-col leading-tight">
        <span className="truncate font-mono text-xs">
          <bdi>{call.model}</bdi>
          {call.model_used !== null && call.model_used !== call.model && (
            <span className="text-muted">
              {' → '}
              <bdi>{call.model_used}</bdi>
            </span>
          )}
        </span>
        <span className="truncate text-xs text-muted">
          <span className="md:hidden">{timeOf(call.created_at)} · </span>
          <bdi>{source.join(' · ')}</bdi>
        </span>
      </span>
      {columns.map((name) => {
        const { end, cell } = columnOf(name);
        return (
          <span
            key={name}
            className={`hidden min-w-0 whitespace-nowrap md:block ${end === true ? 'text-right' : 'truncate'}`}
          >
            {cell(call, keyName)}
          </span>
        );
      })}
      <span className="flex flex-col items-end text-xs md:hidden">
        <Result call={call} />
        <span className="text-muted">
          <span title={exactUsd(call.cost_usd)}>{costOf(call)}</span> · {duration(call.total_ms)}
        </span>
      </span>
    </button>
  );
}
