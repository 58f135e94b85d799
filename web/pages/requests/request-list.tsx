import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { LoggedCall } from '../../api/queries.ts';
import { costOf, duration, exactUsd, short, timeOf, utc } from '../../parts/format.ts';
import { Badge } from '../../parts/states.tsx';
import { verdictOf } from './verdict.ts';

interface ListProps {
  readonly calls: readonly LoggedCall[];
  readonly open: string | undefined;
  readonly isNarrow: boolean;
  readonly onOpen: (id: string) => void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

const rowHeight = 44;

/** Only what is on the screen is drawn; the next page is asked for before its end is reached. */
export function RequestList({ calls, open, isNarrow, onOpen, hasMore, isLoadingMore, onMore }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: calls.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: box.current?.offsetTop ?? 0,
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
    <div>
      <div
        aria-hidden
        className={`-mx-2 hidden border-b border-line px-2 pb-1.5 text-xs text-muted md:grid ${gridOf(isNarrow)}`}
      >
        <span>Time</span>
        <span>Model</span>
        <span>Result</span>
        {!isNarrow && <span className="hidden text-right xl:block">Tokens</span>}
        {!isNarrow && <span className="hidden text-right xl:block">First token</span>}
        <span className="text-right">Total</span>
        <span className="text-right">Cost</span>
      </div>
      <div ref={box} className="relative" style={{ height: rows.getTotalSize() }}>
        <ul aria-label="Requests, the newest first">
          {items.map(({ index, start, key }) => {
            const call = calls[index];
            if (call === undefined) return null;
            return (
              <li
                key={key}
                className="absolute -inset-x-2 top-0"
                style={{ height: rowHeight, transform: `translateY(${start - rows.options.scrollMargin}px)` }}
              >
                <Row call={call} isOpen={call.id === open} isNarrow={isNarrow} onOpen={onOpen} />
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

function gridOf(isNarrow: boolean): string {
  return `items-center gap-x-3 ${
    isNarrow
      ? 'md:grid-cols-[4.25rem_minmax(0,1fr)_10.25rem_3.5rem_4.25rem]'
      : 'md:grid-cols-[7rem_minmax(0,1fr)_10.25rem_4rem_5rem] xl:grid-cols-[7rem_minmax(0,1fr)_11rem_6rem_6rem_5.5rem_5.5rem]'
  }`;
}

interface RowProps {
  readonly call: LoggedCall;
  readonly isOpen: boolean;
  readonly isNarrow: boolean;
  readonly onOpen: (id: string) => void;
}

function Row({ call, isOpen, isNarrow, onOpen }: RowProps) {
  const { tone, text } = verdictOf(call);
  const told = [
    call.input_tokens,
    call.cache_read_tokens,
    call.cache_write_tokens,
    call.output_tokens,
  ].filter((tokens) => tokens !== null);
  const tokens = told.length === 0 ? null : told.reduce((sum, some) => sum + some, 0);
  const cost = <span title={exactUsd(call.cost_usd)}>{costOf(call)}</span>;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onOpen(call.id)}
      className={`grid h-11 w-full grid-cols-[1fr_auto] border-b border-line px-2 text-left text-sm hover:bg-sunken aria-expanded:bg-accent-soft ${gridOf(isNarrow)}`}
    >
      <span className="hidden text-muted md:block" title={utc(call.created_at)}>
        {timeOf(call.created_at)}
      </span>
      <span className="flex min-w-0 flex-col leading-tight">
        <span className="truncate font-mono text-xs">
          {call.model}
          {call.model_used !== null && call.model_used !== call.model && (
            <span className="text-muted"> → {call.model_used}</span>
          )}
        </span>
        <span className="truncate text-xs text-muted">
          <span className="md:hidden">{timeOf(call.created_at)} · </span>
          {[call.asked_by === null ? call.provider : `call of ${call.asked_by}`, call.client, call.agent]
            .filter((part) => part !== null)
            .join(' · ')}
        </span>
      </span>
      <span className="hidden md:block">
        <Badge tone={tone}>{text}</Badge>
      </span>
      {!isNarrow && <span className="hidden text-right xl:block">{short(tokens)}</span>}
      {!isNarrow && <span className="hidden text-right xl:block">{duration(call.first_content_ms)}</span>}
      <span className="hidden text-right md:block">{duration(call.total_ms)}</span>
      <span className="hidden text-right whitespace-nowrap md:block">{cost}</span>
      <span className="flex flex-col items-end text-xs md:hidden">
        <Badge tone={tone}>{text}</Badge>
        <span className="text-muted">
          {cost} · {duration(call.total_ms)}
        </span>
      </span>
    </button>
  );
}
