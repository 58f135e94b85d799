import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { type Conversation, capabilities, conversations, keys } from '../../api/queries.ts';
import { useKeys } from '../../app/shortcuts.ts';
import { Button } from '../../parts/controls.tsx';
import { count, duration, exactUsd, short, timeOf, usd, utc } from '../../parts/format.ts';
import { Badge, Empty, Failure, Page, Rows } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { startOfRange } from '../../parts/time-ranges.ts';
import type { SessionsSearch } from './search.ts';
import { SessionFilters } from './session-filters.tsx';

const route = getRouteApi('/sessions');

/** Conversations of agents and of other clients that name them. */
export function Sessions() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const searchBox = useRef<HTMLInputElement>(null);
  const { range, key, ...same } = search;
  // A page goes on from the time at which the first one was read.
  const from = useMemo(() => (range === undefined ? undefined : startOfRange(range).toISOString()), [range]);
  const list = useInfiniteQuery(
    conversations({
      ...same,
      ...(from !== undefined && { from }),
      ...(key !== undefined && { key_id: key }),
    }),
  );
  const { data: about } = useQuery(capabilities);
  // Names of keys have a width of their own.
  const names = useQuery({ ...keys, enabled: about?.mode === 'cloud' });
  useKeys({ '/': () => searchBox.current?.focus() });
  const all = list.data?.pages.flatMap((page) => page.conversations) ?? [];
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Sessions" lead="Each conversation of an agent or an application, with all its calls.">
      <SessionFilters
        search={search}
        searchBox={searchBox}
        onChange={(next) => void navigate({ search: next })}
      />
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending || names.isLoading ? (
        <Rows count={10} />
      ) : all.length > 0 ? (
        <SessionTable rows={all} onFilter={(filter) => void navigate({ search: { ...search, ...filter } })} />
      ) : (
        list.error === null && (
          <Empty
            title={
              list.hasNextPage
                ? 'Nothing found so far.'
                : isFiltered
                  ? 'No session matches these filters.'
                  : 'No sessions yet.'
            }
          >
            {isFiltered ? (
              <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
            ) : (
              <>
                Claude Code and Codex name their sessions themselves. Other clients send the header{' '}
                <code className="font-mono text-xs">x-weir-conversation</code>.
              </>
            )}
          </Empty>
        )
      )}
      {list.hasNextPage && (
        <Button
          className="self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </Page>
  );
}

interface TableProps {
  readonly rows: readonly Conversation[];
  readonly onFilter: (filter: SessionsSearch) => void;
}

function SessionTable({ rows, onFilter }: TableProps) {
  const { data: about } = useQuery(capabilities);
  const { data: mine } = useQuery({ ...keys, enabled: about?.mode === 'cloud' });
  const keyColumn: Column<Conversation> = {
    title: 'Key',
    wide: 'xl',
    cell: ({ key_id: id }) => {
      const key = mine?.keys.find((one) => one.id === id);
      const name = key === undefined || key.name === '' ? '–' : key.name;
      return (
        <span className="block max-w-40 truncate text-muted" title={name}>
          <bdi>{name}</bdi>
        </span>
      );
    },
  };
  return (
    <Table
      rows={rows}
      rowKey={({ account_id: account, id }) => `${account} ${id}`}
      empty=""
      columns={[
        {
          title: 'Session',
          long: true,
          cell: ({ id, started_at: started, client, duration_ms: ms }) => (
            <span className="flex flex-col leading-tight">
              <Link
                to="/sessions/$id"
                params={{ id }}
                className="truncate font-mono text-xs text-accent hover:underline"
                title={id}
              >
                <bdi>{id}</bdi>
              </Link>
              <span className="truncate text-xs text-muted" title={utc(started)}>
                {timeOf(started)}
                <span className="md:hidden">
                  {' · '}
                  {duration(ms)}
                  {client !== null && (
                    <>
                      {' · '}
                      <bdi>{client}</bdi>
                    </>
                  )}
                </span>
              </span>
            </span>
          ),
        },
        {
          title: 'Client',
          wide: true,
          cell: ({ client }) =>
            client === null ? (
              <span className="text-muted">–</span>
            ) : (
              <button
                type="button"
                className="max-w-40 truncate hover:underline"
                title={`Only sessions of ${client}`}
                onClick={() => onFilter({ client })}
              >
                <bdi>{client}</bdi>
              </button>
            ),
        },
        ...(about?.mode === 'cloud' ? [keyColumn] : []),
        { title: 'Models', wide: 'lg', cell: ({ models }) => <Models names={models} /> },
        {
          title: 'Duration',
          end: true,
          wide: true,
          cell: ({ duration_ms: ms }) => duration(ms),
        },
        {
          title: 'Calls',
          end: true,
          cell: ({ calls, failed }) => (
            <span className="inline-flex items-center gap-1.5">
              {failed > 0 && <Badge tone="failed">{count(failed)} failed</Badge>}
              {count(calls)}
            </span>
          ),
        },
        {
          title: 'Tokens',
          end: true,
          wide: true,
          cell: (one) =>
            short(one.input_tokens + one.cache_read_tokens + one.cache_write_tokens + one.output_tokens),
        },
        {
          title: 'Cost',
          end: true,
          cell: ({ cost_usd: cost }) => <span title={exactUsd(cost)}>{usd(cost)}</span>,
        },
      ]}
    />
  );
}

function Models({ names }: { readonly names: readonly string[] }) {
  const [first = '–', ...others] = names;
  return (
    <span className="flex max-w-56 items-center gap-1 font-mono text-xs" title={names.join(', ')}>
      <bdi className="truncate">{first}</bdi>
      {others.length > 0 && <span className="shrink-0 text-muted">+{others.length}</span>}
    </span>
  );
}
