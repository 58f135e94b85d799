import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { capabilities, recordingSettings, recordings } from '../../api/queries.ts';
import { useKeys } from '../../app/shortcuts.ts';
import { Button, Input } from '../../parts/controls.tsx';
import { Empty, Failure, Page, Rows } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { DeleteAll } from './delete-all.tsx';
import { Matches } from './matches.tsx';
import { RecordedCalls } from './recorded-calls.tsx';
import { RecordingFilters } from './recording-filters.tsx';
import { RecordingSwitch } from './recording-switch.tsx';

const route = getRouteApi('/recordings');

/** What is recorded, a search in it, and the switch of a local gateway. */
export function Recordings() {
  const { q, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const searchBox = useRef<HTMLInputElement>(null);
  const { data: about } = useQuery(capabilities);
  const { cost, size, key, ...same } = filters;
  const list = useInfiniteQuery(
    recordings({
      ...same,
      ...(key !== undefined && { key_id: key }),
      ...(cost !== undefined && { min_cost_usd: Number(cost) }),
      ...(size !== undefined && { min_bytes: Number(size) }),
    }),
  );
  const settings = useQuery(recordingSettings);
  useKeys({ '/': () => searchBox.current?.focus() });
  const rows = list.data?.pages.flatMap((page) => page.recordings) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = list.data !== undefined && rows.length === 0 && !isFiltered;
  return (
    <Page
      title="Recordings"
      lead="Requests and answers with their content, encrypted. Nothing is recorded unless you switch it on."
      actions={(rows.length > 0 || isFiltered) && <DeleteAll />}
    >
      <Together of={[list, settings]} loading={<Rows count={8} />}>
        {about !== undefined && <RecordingSwitch isLocal={about.mode === 'local'} />}
        {(!isEmpty || q !== undefined) && (
          <search>
            <form
              className="flex max-w-xl items-center gap-2"
              onSubmit={(event) => {
                event.preventDefault();
                const text = searchBox.current?.value.trim() ?? '';
                void navigate({ search: text.length < 2 ? {} : { q: text.slice(0, 200) } });
              }}
            >
              <Input
                key={q}
                ref={searchBox}
                type="search"
                aria-label="Search in recordings"
                placeholder="Search in requests and answers"
                defaultValue={q}
                maxLength={200}
              />
              <Button type="submit">Search</Button>
            </form>
          </search>
        )}
        {q !== undefined ? (
          <Matches text={q} />
        ) : list.data === undefined ? (
          list.error === null ? (
            <Rows count={8} />
          ) : (
            <Failure error={list.error} onRetry={() => void list.refetch()} />
          )
        ) : isEmpty ? (
          <Empty title="No recordings.">Recorded calls appear here, and open in the request log.</Empty>
        ) : (
          <>
            <RecordingFilters
              filters={filters}
              onSet={(name, value) =>
                void navigate({
                  search: ({ [name]: _, ...rest }) => ({ ...rest, ...(value !== '' && { [name]: value }) }),
                })
              }
            />
            <RecordedCalls rows={rows} />
            {list.hasNextPage && (
              <Button
                className="self-start"
                busy={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                Show older
              </Button>
            )}
          </>
        )}
      </Together>
    </Page>
  );
}
