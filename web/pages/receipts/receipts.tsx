import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api, told } from '../../api/client.ts';
import type { Receipt } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count, exactUsd, timeOf, usd, utc } from '../../parts/format.ts';
import { Badge, Empty, Failure, Page, Rows } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { ReceiptCheck } from './receipt-check.tsx';

const route = getRouteApi('/receipts');

/** What can be shown of calls, to anybody. */
export function Receipts() {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({
    queryKey: ['receipts'],
    queryFn: ({ pageParam }) =>
      told(
        api.GET('/v1/receipts', {
          params: { query: { limit: 50, ...(pageParam !== '' && { after: pageParam }) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const all = list.data?.pages.flatMap(({ receipts }) => receipts) ?? [];
  const opened = all.find(({ receipt_id: id }) => id === open);
  return (
    <Page title="Receipts" lead="Signed records of single calls. They contain hashes, never content.">
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending ? (
        <Rows count={6} />
      ) : all.length === 0 ? (
        list.error === null && (
          <Empty title="No receipts yet.">
            Switch them on for a key under{' '}
            <Link to="/keys" className="text-accent underline">
              Keys
            </Link>
            ; from then on each of its calls has one.
          </Empty>
        )
      ) : (
        <Table
          rows={all}
          rowKey={({ receipt_id: id }) => id}
          empty=""
          columns={[
            {
              title: 'Receipt',
              cell: ({ receipt_id: id }) => (
                <button
                  type="button"
                  className="font-mono text-xs text-accent hover:underline"
                  onClick={() => void navigate({ search: { open: id }, resetScroll: false })}
                >
                  {id.slice(0, 18)}…
                </button>
              ),
            },
            { title: 'When', cell: ({ created_at: at }) => <span title={utc(at)}>{timeOf(at)}</span> },
            {
              title: 'Model',
              wide: true,
              long: true,
              cell: ({ model }) => (
                <span className="font-mono text-xs" title={model}>
                  {model}
                </span>
              ),
            },
            {
              title: 'Tokens',
              wide: true,
              end: true,
              cell: (one) => count((one.input_tokens ?? 0) + (one.output_tokens ?? 0)),
            },
            {
              title: 'Cost',
              end: true,
              cell: ({ cost_usd: cost }) => <span title={exactUsd(cost)}>{usd(cost)}</span>,
            },
            {
              title: 'Seen by',
              end: true,
              cell: ({ visibility }) =>
                visibility === 'private' ? <Badge>you</Badge> : <Badge tone="accent">anybody</Badge>,
            },
          ]}
        />
      )}
      {list.hasNextPage && (
        <Button
          className="self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          More
        </Button>
      )}
      {opened !== undefined && (
        <Dialog open wide onClose={() => void navigate({ search: {}, resetScroll: false })} title="Receipt">
          <ReceiptCheck receipt={opened} />
          <Button className="self-end" onClick={() => download(opened)}>
            Download
          </Button>
        </Dialog>
      )}
    </Page>
  );
}

function download(receipt: Receipt): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(receipt, undefined, 2)], { type: 'application/json' }),
  );
  link.download = `${receipt.receipt_id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
