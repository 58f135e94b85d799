import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { capabilities, keys } from '../../api/queries.ts';
import { useKeys } from '../../app/shortcuts.ts';
import { Button } from '../../parts/controls.tsx';
import { count, timeOf } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Empty, Failure, Page, Rows } from '../../parts/states.tsx';
import { useStored } from '../../parts/use-stored.ts';
import { ColumnChoice } from './column-choice.tsx';
import { defaultColumns, type KeyName, readColumns } from './columns.tsx';
import { Details } from './details.tsx';
import { Filters } from './filters.tsx';
import { RequestList } from './request-list.tsx';
import type { LogSort } from './search.ts';
import { apiFilters, type LogFilters, type LogState, useLog } from './use-log.ts';

const route = getRouteApi('/requests');
const states: Readonly<Record<LogState, { readonly text: string; readonly look: string }>> = {
  live: { text: 'Live', look: 'bg-saved' },
  paused: { text: 'Paused', look: 'bg-edge' },
  failing: { text: 'Not live', look: 'bg-failed' },
};

const sortNames: Readonly<Record<LogSort, string>> = {
  cost: 'most expensive',
  duration: 'slowest',
  tokens: 'largest',
};

/** The log: live without moving what one reads, and one call beside the list. */
export function Requests() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { open, ...filters } = search;
  const log = useLog(filters);
  const { data: about } = useQuery(capabilities);
  const keyName = useKeyName();
  const [columns, storeColumns] = useStored('weir-log-columns', defaultColumns.join());
  const [follows, storeFollows] = useStored('weir-log-follows', 'off');
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
  const { waiting, showNew, checkedAt } = log;
  useEffect(() => {
    // While somebody reads further down, or reads a call, what is new waits.
    const isAtTop = checkedAt > 0 && open === undefined && window.scrollY < 8;
    if (follows === 'on' && waiting > 0 && isAtTop) showNew();
  }, [follows, waiting, showNew, checkedAt, open]);
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
  const isFiltered = Object.keys(filters).some((name) => name !== 'sort');
  return (
    <Page
      title="Requests"
      actions={
        <>
          <ExportLinks filters={filters} />
          <ColumnChoice
            chosen={readColumns(columns)}
            hasKeys={about?.mode === 'cloud'}
            onChange={(chosen) => storeColumns(chosen.join())}
          />
          <label
            className="flex items-center gap-1.5 text-sm"
            title="Shows new calls at once while the list is at its top"
          >
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={follows === 'on'}
              disabled={log.state === 'paused'}
              onChange={({ target }) => storeFollows(target.checked ? 'on' : 'off')}
            />
            Follow
          </label>
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
          {waiting > 0 && (
            <div className="sticky top-10 z-20 -mb-2 flex h-0 justify-center">
              <Button
                look="primary"
                className="h-8 shadow-md"
                onClick={() => {
                  window.scrollTo(0, 0);
                  showNew();
                }}
              >
                {count(waiting)}
                {log.waitingMore ? '+' : ''} new
              </Button>
            </div>
          )}
          {filters.sort !== undefined && log.calls.length > 0 && (
            <p className="text-xs text-muted">{sortedNote(filters.sort, log)}</p>
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
              columns={readColumns(columns)}
              sort={filters.sort}
              onSort={(sort) =>
                void navigate({
                  search: ({ sort: _, ...rest }) => (sort === undefined ? rest : { ...rest, sort }),
                })
              }
              keyName={keyName}
              open={open}
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

/** What was sorted, so that nobody takes a part for all. */
function sortedNote(
  sort: LogSort,
  { calls, sortedSince }: { readonly calls: readonly unknown[]; readonly sortedSince: string | null },
): string {
  if (sortedSince === null) return `The ${count(calls.length)} ${sortNames[sort]} of all calls that match.`;
  return `The ${count(calls.length)} ${sortNames[sort]} since ${timeOf(sortedSince)}. To sort earlier calls, choose a shorter time that ends earlier.`;
}

function ExportLinks({ filters }: { readonly filters: LogFilters }) {
  const query = Object.entries(apiFilters(filters)).map(([name, value]) => [name, String(value)]);
  const link = (format: string, text: string) => (
    <a
      href={`/v1/requests/export?${new URLSearchParams([...query, ['format', format]])}`}
      download
      className="text-accent hover:underline"
    >
      {text}
    </a>
  );
  return (
    <span className="flex items-center gap-2 text-sm">
      {link('csv', 'Export CSV')}
      {link('jsonl', 'JSON lines')}
    </span>
  );
}

/** A local gateway has no keys. */
function useKeyName(): KeyName {
  const may = useRights();
  const { data: about } = useQuery(capabilities);
  const { data } = useQuery({ ...keys, enabled: about?.mode === 'cloud' && may('keys:read') });
  return (id) => {
    const key = data?.keys.find((one) => one.id === id);
    return key === undefined ? id : key.name || key.prefix;
  };
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
