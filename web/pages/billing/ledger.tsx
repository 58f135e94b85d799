import { useInfiniteQuery } from '@tanstack/react-query';
import { type BillingUsage, ledgerAfter } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { count, timeOf, utc } from '../../parts/format.ts';
import { Section } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';

/** What became of credits: the first page came with the rest, older ones are asked for. */
export function Ledger({ first }: { readonly first: BillingUsage }) {
  const start = first.nextCursor ?? '';
  const older = useInfiniteQuery({
    queryKey: ['billing', 'ledger', start],
    queryFn: ({ pageParam }) => ledgerAfter(pageParam),
    initialPageParam: start,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    enabled: false,
  });
  const pages = older.data?.pages ?? [];
  const hasMore = pages.length === 0 ? first.hasMore : older.hasNextPage;
  return (
    <Section title="Ledger">
      <Table
        rows={[first, ...pages].flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        empty="No credits were bought or used yet."
        columns={[
          { title: 'When', cell: ({ createdAt: at }) => <span title={utc(at)}>{timeOf(at)}</span> },
          { title: 'What', cell: ({ kind }) => kind },
          {
            title: 'Note',
            wide: true,
            cell: ({ note, reference }) => <span className="text-muted">{note ?? reference}</span>,
          },
          {
            title: 'Credits',
            end: true,
            cell: ({ credits }) => (
              <span className={credits > 0 ? 'text-saved' : ''}>
                {credits > 0 ? `+${count(credits)}` : count(credits)}
              </span>
            ),
          },
        ]}
      />
      {hasMore && (
        <Button
          className="self-center"
          busy={older.isFetching}
          onClick={() => void (pages.length === 0 ? older.refetch() : older.fetchNextPage())}
        >
          Older entries
        </Button>
      )}
    </Section>
  );
}
