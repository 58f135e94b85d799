import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useRef } from 'react';
import type { RequestsSearch } from '../../app/router.tsx';
import { useKeys } from '../../app/shortcuts.ts';
import { Button } from '../../parts/controls.tsx';
import { count } from '../../parts/format.ts';
import { Empty, Failure, Page, Rows } from '../../parts/states.tsx';
import { Details } from './details.tsx';
import { Filters } from './filters.tsx';
import { RequestList } from './request-list.tsx';
import { type LogState, useLog } from './use-log.ts';

const route = getRouteApi('/requests');
const states: Readonly<Record<LogState, { readonly text: string; readonly look: string }>> = {
  live: { text: 'Live', look: 'bg-saved' },
  paused: { text: 'Paused', look: 'bg-edge' },
  failing: { text: 'Not live', look: 'bg-failed' },
};

/** The log: live without moving what one reads, and one call beside the list. */
export function Requests() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { open, ...filters } = search;
  const log = useLog(filters);
  const searchBox = useRef<HTMLInputElement>(null);
  // Back closes what was opened, and is not asked to go through every row that was looked at.
  const show = useCallback(
    (id: string | undefined) =>
      void navigate({
        search: ({ open: _, ...rest }) => (id === undefined ? rest : { ...rest, open: id }),
        replace: open !== undefined,
        resetScroll: false,
      }),
    [navigate, open],
  );
  useListPosition(open !== undefined);
  const move = (by: number) => {
    const at = log.calls.findIndex(({ id }) => id === open);
    const next = log.calls[at < 0 ? 0 : Math.min(log.calls.length - 1, Math.max(0, at + by))];
    if (next !== undefined) show(next.id);
    if (at + by >= log.calls.length - 5) log.more();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => show(undefined),
    '/': () => searchBox.current?.focus(),
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Requests"
      actions={
        <>
          <a
            href={`/v1/requests/export?${exportQueryOf(filters)}`}
            download
            className="text-sm text-accent hover:underline"
          >
            Export CSV
          </a>
          <span className="flex items-center gap-1.5 text-sm text-muted" role="status">
            <span aria-hidden className={`size-2 rounded-full ${states[log.state].look}`} />
            {states[log.state].text}
          </span>
        </>
      }
    >
      <div className={open === undefined ? '' : 'hidden xl:block'}>
        <Filters
          search={filters}
          searchBox={searchBox}
          onChange={(next) => void navigate({ search: next })}
          onOpen={show}
        />
      </div>
      <div
        className={`grid items-start gap-6 ${open === undefined ? '' : 'xl:grid-cols-[minmax(0,1fr)_24rem]'}`}
      >
        <div className={`min-w-0 flex-col gap-2 ${open === undefined ? 'flex' : 'hidden xl:flex'}`}>
          {log.waiting > 0 && (
            <div className="sticky top-2 z-10 -mb-2 flex h-0 justify-center">
              <Button
                look="primary"
                className="h-8 shadow-md"
                onClick={() => {
                  window.scrollTo(0, 0);
                  log.showNew();
                }}
              >
                {count(log.waiting)}
                {log.waitingMore ? '+' : ''} new
              </Button>
            </div>
          )}
          {log.error !== null && <Failure error={log.error} onRetry={log.retry} />}
          {log.isLoading ? (
            <Rows count={12} />
          ) : log.calls.length === 0 && log.error !== null ? null : log.calls.length === 0 && !log.hasMore ? (
            <Empty title={isFiltered ? 'No call matches these filters.' : 'No calls yet.'}>
              {isFiltered ? (
                <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
              ) : (
                'Calls appear here as they arrive. The overview shows how to make one.'
              )}
            </Empty>
          ) : (
            <RequestList
              calls={log.calls}
              open={open}
              isNarrow={open !== undefined}
              onOpen={show}
              hasMore={log.hasMore}
              onMore={log.more}
              isLoadingMore={log.isLoadingMore}
            />
          )}
        </div>
        {open !== undefined && (
          <Details
            id={open}
            known={log.calls.find(({ id }) => id === open)}
            onClose={() => show(undefined)}
          />
        )}
      </div>
    </Page>
  );
}

function exportQueryOf({ key, ...filters }: Omit<RequestsSearch, 'open'>): string {
  return new URLSearchParams({ ...filters, ...(key !== undefined && { key_id: key }) }).toString();
}

/** Where there is no room for the list beside a call, the list comes back at the place where it was left. */
function useListPosition(isOpen: boolean): void {
  const left = useRef(0);
  useLayoutEffect(() => {
    if (isOpen) {
      const isBeside = window.matchMedia('(min-width: 80rem)').matches;
      if (isBeside) return;
      window.scrollTo(0, 0);
      return () => void requestAnimationFrame(() => window.scrollTo(0, left.current));
    }
    // Not when a call is opened: by then the page is shorter, and the browser has moved it.
    const keep = () => {
      left.current = window.scrollY;
    };
    window.addEventListener('scroll', keep);
    return () => window.removeEventListener('scroll', keep);
  }, [isOpen]);
}
