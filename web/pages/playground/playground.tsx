import { getRouteApi } from '@tanstack/react-router';
import { Loaded, Page, Skeleton } from '../../parts/states.tsx';
import { useFirstDraft } from './use-first-draft.ts';
import { Workbench } from './workbench.tsx';

const route = getRouteApi('/playground');

/** A conversation with up to four models or pipelines, side by side. */
export function Playground() {
  const search = route.useSearch();
  const first = useFirstDraft(search);
  return (
    <Loaded
      of={first}
      loading={
        <Page title="Playground">
          <Skeleton className="h-80" />
        </Page>
      }
    >
      {({ draft, note }) => <Workbench key={JSON.stringify(search)} first={draft} note={note} />}
    </Loaded>
  );
}
