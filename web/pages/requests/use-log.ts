import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { api, told } from '../../api/client.ts';
import type { LogPage, LogQuery } from '../../api/queries.ts';
import { startOfRange } from '../../parts/time-ranges.ts';
import type { RequestsSearch } from './search.ts';

const pageSize = 50;
const sortedSize = 200;
const pollMs = 2000;
/** Calls that stay in the list while new ones are added to it. */
const followedMax = 500;

export type LogFilters = Omit<RequestsSearch, 'open'>;

/** Filters as the API takes them. */
export function apiFilters({ key, range, sort: _, ...rest }: LogFilters): LogQuery {
  return {
    ...rest,
    ...(range !== undefined && { from: startOfRange(range).toISOString() }),
    ...(key !== undefined && { key_id: key }),
  };
}

/** `paused` where a time was chosen that is over, or the order is not that of time. */
export type LogState = 'live' | 'paused' | 'failing';

interface Log {
  readonly calls: LogPage['requests'];
  readonly state: LogState;
  /** The oldest time that was sorted; null if all matching calls were. */
  readonly sortedSince: string | null;
  readonly isLoading: boolean;
  readonly error: Error | null;
  retry(): void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  more(): void;
  readonly waiting: number;
  readonly waitingMore: boolean;
  /** When new calls were last asked for. */
  readonly checkedAt: number;
  showNew(): void;
}

/** Pages of the log by cursor, and beside them what came in since, which waits until it is asked for. */
export function useLog(filters: LogFilters): Log {
  const client = useQueryClient();
  const name = JSON.stringify(filters);
  const query = useMemo(() => {
    const read: LogFilters = JSON.parse(name);
    const { sort } = read;
    return {
      ...apiFilters(read),
      ...(sort === undefined ? { limit: pageSize } : { sort, limit: sortedSize }),
    };
  }, [name]);
  const pages = useInfiniteQuery({
    queryKey: ['log', name],
    queryFn: ({ pageParam }) =>
      told(
        api.GET('/v1/requests', {
          params: { query: { ...query, ...(pageParam !== '' && { after: pageParam }) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last: LogPage) => last.next_cursor ?? undefined,
    // What is on the page stays; what is new is asked for below.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const first = pages.data?.pages[0];
  const cursor = first?.previous_cursor ?? null;
  const isLive = filters.to === undefined && filters.sort === undefined;
  const fresh = useQuery({
    queryKey: ['log-new', name, cursor],
    queryFn: () =>
      told(
        api.GET('/v1/requests', {
          params: { query: cursor === null ? query : { ...query, before: cursor } },
        }),
      ),
    enabled: isLive && first !== undefined,
    refetchInterval: pollMs,
    refetchIntervalInBackground: false,
  });
  const waiting = isLive ? fresh.data : undefined;
  const calls = useMemo(() => pages.data?.pages.flatMap(({ requests }) => requests) ?? [], [pages.data]);
  const showNew = useCallback(() => {
    if (waiting === undefined || waiting.has_more || cursor === null)
      return void client.resetQueries({ queryKey: ['log', name] });
    client.setQueryData<InfiniteData<LogPage, string>>(['log', name], (shown) =>
      shown === undefined ? shown : withNewPage(shown, waiting),
    );
  }, [client, name, waiting, cursor]);
  return {
    calls,
    state: !isLive ? 'paused' : pages.error === null && fresh.error === null ? 'live' : 'failing',
    sortedSince: first?.sorted_since ?? null,
    isLoading: pages.isPending,
    error: pages.error,
    retry: () => void client.resetQueries({ queryKey: ['log', name] }),
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    waiting: waiting?.requests.length ?? 0,
    waitingMore: waiting?.has_more === true,
    checkedAt: fresh.dataUpdatedAt,
    showNew,
  };
}

/** The oldest pages make room for what is new; they can be loaded again. */
function withNewPage(
  { pages, pageParams }: InfiniteData<LogPage, string>,
  newPage: LogPage,
): InfiniteData<LogPage, string> {
  const kept: LogPage[] = [];
  let calls = 0;
  for (const page of [newPage, ...pages]) {
    if (calls >= followedMax) break;
    kept.push(page);
    calls += page.requests.length;
  }
  return { pages: kept, pageParams: ['', ...pageParams].slice(0, kept.length) };
}
