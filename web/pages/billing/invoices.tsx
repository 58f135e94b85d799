import { useInfiniteQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { invoicesAfter } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { dateOf, utc } from '../../parts/format.ts';
import { Badge, Loaded, Rows, Section } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';

/** As the processor has them, which is where each is read. Nothing where this gateway has no processor. */
export function Invoices() {
  const asked = useInfiniteQuery({
    queryKey: ['billing', 'invoices'],
    queryFn: ({ pageParam }) => invoicesAfter(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ hasMore, invoices }) => (hasMore ? invoices.at(-1)?.id : undefined),
    retry: false,
  });
  const { error } = asked;
  if (error instanceof ApiError && error.detail?.startsWith('billing_not_configured') === true) return null;
  return (
    <Section title="Invoices">
      <Loaded of={asked} loading={<Rows count={2} />}>
        {({ pages }) => (
          <Table
            rows={pages.flatMap(({ invoices }) => invoices)}
            rowKey={({ id }) => id}
            empty="No invoices yet."
            columns={[
              {
                title: 'Number',
                cell: ({ url, number, id }) =>
                  url === null ? (
                    (number ?? id)
                  ) : (
                    <a href={url} target="_blank" rel="noreferrer" className="underline">
                      {number ?? id}
                    </a>
                  ),
              },
              { title: 'Date', cell: ({ createdAt: at }) => <span title={utc(at)}>{dateOf(at)}</span> },
              {
                title: 'State',
                cell: ({ status }) => <Badge tone={status === 'paid' ? 'saved' : 'plain'}>{status}</Badge>,
              },
              { title: 'Total', end: true, cell: ({ total, currency }) => amount(total, currency) },
            ]}
          />
        )}
      </Loaded>
      {asked.hasNextPage && (
        <Button
          className="self-center"
          busy={asked.isFetchingNextPage}
          onClick={() => void asked.fetchNextPage()}
        >
          Older invoices
        </Button>
      )}
    </Section>
  );
}

function amount(total: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(total / 10 ** digits);
}
