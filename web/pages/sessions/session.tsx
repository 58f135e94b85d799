import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { timeline } from '../../api/queries.ts';
import { Button, CopyButton } from '../../parts/controls.tsx';
import { count } from '../../parts/format.ts';
import { Failure, Page, Section, Skeleton, Waiting } from '../../parts/states.tsx';
import { ContextChart } from './context-chart.tsx';
import { SessionFigures } from './session-figures.tsx';
import { timelineOf } from './timeline.ts';
import { Timeline } from './timeline-list.tsx';
import { ToolCosts } from './tool-costs.tsx';

const route = getRouteApi('/sessions/$id');

/** One conversation from its first call to its last. */
export function Session() {
  const { id } = route.useParams();
  const loaded = useInfiniteQuery(timeline(id));
  const pages = loaded.data?.pages;
  const items = useMemo(() => timelineOf(pages?.flatMap(({ calls }) => calls) ?? []), [pages]);
  const whole = pages?.at(-1)?.conversation;
  return (
    <Page
      title="Session"
      actions={
        <Link to="/sessions" className="text-sm text-accent hover:underline">
          All sessions
        </Link>
      }
    >
      <p className="-mt-5 flex min-w-0 items-center gap-1">
        <bdi className="truncate font-mono text-xs text-muted" title={id}>
          {id}
        </bdi>
        <CopyButton text={id} label="Copy the id" />
      </p>
      {loaded.error !== null && <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />}
      {loaded.isPending && <WaitingSession />}
      {whole !== undefined && (
        <>
          <SessionFigures conversation={whole} items={items} />
          <Section title="Context and cost" aside="Tokens of each request, and the cost so far">
            <ContextChart items={items} />
          </Section>
          <ToolCosts items={items} />
          <Section
            title="Timeline"
            aside={
              items.length < whole.calls ? `${count(items.length)} of ${count(whole.calls)} calls` : undefined
            }
          >
            <Timeline items={items} />
          </Section>
        </>
      )}
      {loaded.hasNextPage && (
        <Button
          className="self-center"
          busy={loaded.isFetchingNextPage}
          onClick={() => void loaded.fetchNextPage()}
        >
          Show more calls
        </Button>
      )}
    </Page>
  );
}

function WaitingSession() {
  return (
    <Waiting className="flex flex-col gap-6">
      <Skeleton className="h-16 w-full" />
      <Skeleton className="h-48 w-full" />
      <Skeleton className="h-96 w-full" />
    </Waiting>
  );
}
