import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ArchivedConversation, archive } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { bytes, count, timeOf, utc } from '../../parts/format.ts';
import { Empty, Loaded, Page, Rows } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { DeleteConversation } from './delete-conversation.tsx';
import { Passages } from './passages.tsx';

const route = getRouteApi('/archive');

/** What modules left out of requests, by conversation. */
export function Archive() {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery(archive);
  const [deleting, setDeleting] = useState<ArchivedConversation>();
  const show = (conversation: string | undefined) =>
    void navigate({ search: conversation === undefined ? {} : { open: conversation }, resetScroll: false });
  return (
    <Page
      title="Archive"
      lead="Passages that ipc and compaction-bridge left out of conversations. rehydrator brings them back when they are referred to. Stored encrypted, until they expire."
    >
      <Loaded of={list} loading={<Rows count={6} />}>
        {({ conversations, isComplete }) =>
          conversations.length === 0 ? (
            <Empty title="Nothing is archived.">
              Switch on <ModuleLink name="ipc" /> or <ModuleLink name="compaction-bridge" /> for long
              conversations.
            </Empty>
          ) : (
            <>
              <Table
                rows={conversations}
                rowKey={({ conversation }) => conversation}
                empty=""
                most={50}
                columns={[
                  {
                    title: 'Conversation',
                    long: true,
                    cell: ({ conversation }) => (
                      <button
                        type="button"
                        title={conversation}
                        className="max-w-full truncate font-mono text-xs text-accent hover:underline"
                        onClick={() => show(conversation)}
                      >
                        <bdi>{conversation}</bdi>
                      </button>
                    ),
                  },
                  { title: 'Passages', end: true, cell: ({ items }) => count(items) },
                  { title: 'Size', end: true, wide: true, cell: (one) => bytes(one.bytes) },
                  {
                    title: 'First',
                    wide: true,
                    cell: ({ firstAt }) => <span title={utc(firstAt)}>{timeOf(firstAt)}</span>,
                  },
                  {
                    title: 'Newest',
                    cell: ({ lastAt }) => <span title={utc(lastAt)}>{timeOf(lastAt)}</span>,
                  },
                  {
                    title: 'Requests',
                    wide: true,
                    plain: true,
                    cell: ({ conversation }) => (
                      <Link to="/requests" search={{ conversation }} className="text-accent underline">
                        Requests
                      </Link>
                    ),
                  },
                  {
                    title: 'Delete',
                    plain: true,
                    end: true,
                    cell: (one) => (
                      <Button
                        look="quiet"
                        aria-label={`Delete the archive of ${one.conversation}`}
                        onClick={() => setDeleting(one)}
                      >
                        Delete
                      </Button>
                    ),
                  },
                ]}
              />
              {!isComplete && (
                <p className="text-xs text-muted">
                  Older passages are not listed; they expire by themselves.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {open !== undefined && <Passages key={open} conversation={open} onClose={() => show(undefined)} />}
      {deleting !== undefined && <DeleteConversation {...deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

function ModuleLink({ name }: { readonly name: string }) {
  return (
    <Link to="/modules" search={{ open: name }} className="text-accent underline">
      {name}
    </Link>
  );
}
