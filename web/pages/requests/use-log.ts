import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, told } from '../../api/client.ts';
import type { LogPage, LogQuery } from '../../api/queries.ts';
import type { RequestsSearch } from '../../app/router.tsx';

const pageSize = 50;
const pollMs = 2000;

type Filters = Omit<RequestsSearch, 'open'>;

function queryOf({ key, ...rest }: Filters): LogQuery {
  return { ...rest, ...(key !== undefined && { key_id: key }), limit: pageSize };
}

/** `paused` where a time was chosen that is over. */
export type LogState = 'live' | 'paused' | 'failing';

interface Log {
  readonly calls: LogPage['requests'];
  readonly state: LogState;
  readonly isLoading: boolean;
  readonly error: Error | null;
  retry(): void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  more(): void;
  readonly waiting: number;
  readonly waitingMore: boolean;
  showNew(): void;
}

/** Pages of the log by cursor, and beside them what came in since, which waits until it is asked for. */
export function useLog(filters: Filters): Log {
  const client = useQueryClient();
  const query = useMemo(() => queryOf(filters), [filters]);
  const name = JSON.stringify(query);
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
  const isLive = filters.to === undefined;
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
  const waiting = fresh.data?.requests ?? [];
  const calls = useMemo(() => pages.data?.pages.flatMap(({ requests }) => requests) ?? [], [pages.data]);
  return {
    calls,
    state: !isLive ? 'paused' : pages.error === null && fresh.error === null ? 'live' : 'failing',
    isLoading: pages.isPending,
    error: pages.error,
    retry: () => void pages.refetch(),
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    waiting: waiting.length,
    waitingMore: fresh.data?.has_more === true,
    showNew: () => void client.resetQueries({ queryKey: ['log', name] }),
  };
}
