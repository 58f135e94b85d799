import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { archive, archivedItem, archivedItems } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { bytes, dateOf, timeOf, utc } from '../../parts/format.ts';
import { Badge, Empty, Failure, Loaded, Rows, Skeleton } from '../../parts/states.tsx';
import { textsOf } from './texts-of.ts';

interface PassagesProps {
  readonly conversation: string;
  readonly onClose: () => void;
}

/** What is archived of one conversation; the text of a passage is loaded when somebody opens it. */
export function Passages({ conversation, onClose }: PassagesProps) {
  const list = useInfiniteQuery(archivedItems(conversation));
  const [shown, setShown] = useState<string>();
  const client = useQueryClient();
  const deleting = useMutation({
    mutationFn: (ref: string) => told(api.DELETE('/v1/archive/{ref}', { params: { path: { ref } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: archive.queryKey }),
  });
  return (
    <Dialog open wide onClose={onClose} title="Archived passages" lead={<bdi>{conversation}</bdi>}>
      {deleting.error !== null && <Failure error={deleting.error} />}
      <Loaded of={list} loading={<Rows count={4} />}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return <Empty title="Nothing is archived of this conversation." />;
          return (
            <ul className="flex flex-col">
              {items.map(({ ref, createdAt, expiresAt, bytes: size, isPersonal }) => (
                <li key={ref} className="flex flex-col gap-2 border-b border-line py-2 text-sm">
                  <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                    <span title={utc(createdAt)}>{timeOf(createdAt)}</span>
                    <span className="text-muted">{bytes(size)}</span>
                    {expiresAt !== null && (
                      <span className="text-muted" title={utc(expiresAt)}>
                        expires {dateOf(expiresAt)}
                      </span>
                    )}
                    {isPersonal && <Badge>one end user</Badge>}
                    <span className="ml-auto flex">
                      <Button
                        look="quiet"
                        aria-expanded={shown === ref}
                        aria-label={`Text of ${ref}`}
                        onClick={() => setShown(shown === ref ? undefined : ref)}
                      >
                        {shown === ref ? 'Hide' : 'Show'}
                      </Button>
                      <Button
                        look="quiet"
                        aria-label={`Delete ${ref}`}
                        disabled={deleting.isPending}
                        onClick={() => deleting.mutate(ref)}
                      >
                        Delete
                      </Button>
                    </span>
                  </div>
                  {shown === ref && <Content id={ref} />}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {list.hasNextPage && (
        <Button
          className="self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          More passages
        </Button>
      )}
    </Dialog>
  );
}

function Content({ id }: { readonly id: string }) {
  const item = useQuery(archivedItem(id));
  return (
    <Loaded of={item} loading={<Skeleton className="h-20" />}>
      {({ content }) => (
        <ol className="flex flex-col gap-2 rounded-md bg-sunken p-3 text-xs">
          {textsOf(content).map(({ role, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages never change their places
            <li key={at}>
              <span className="font-medium">{role}</span>
              <p className="whitespace-pre-wrap wrap-anywhere" dir="auto">
                {text}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
