import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { type AlertDelivery, deliveriesOf, type Webhook } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { timeOf, utc } from '../../parts/format.ts';
import { Badge, Empty, Failure, Rows, type Tone } from '../../parts/states.tsx';
import { nameOf } from './name-of.ts';
import { useWebhooksChanged } from './use-webhooks-changed.ts';

interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** What was sent to a webhook, the newest first. */
export function Deliveries({ webhook, onClose }: DeliveriesProps) {
  const list = useInfiniteQuery(deliveriesOf(webhook.id));
  const rows = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <Dialog open wide onClose={onClose} title={`Deliveries to ${nameOf(webhook)}`}>
      {list.data === undefined ? (
        list.error === null ? (
          <Rows count={4} />
        ) : (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        )
      ) : rows.length === 0 ? (
        <Empty title="Nothing was sent yet.">Press Test to send a message.</Empty>
      ) : (
        <ul aria-label="Deliveries" className="flex flex-col">
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} webhook={webhook} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          className="self-start"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </Dialog>
  );
}

const tones: Readonly<Record<AlertDelivery['status'], Tone>> = {
  pending: 'plain',
  delivered: 'saved',
  failed: 'failed',
};

function DeliveryRow({ delivery, webhook }: { readonly delivery: AlertDelivery; readonly webhook: Webhook }) {
  const { id: delivery_id, type, message, status, attempts, created_at: at } = delivery;
  const changed = useWebhooksChanged();
  const resending = useMutation({
    mutationFn: () =>
      told(
        api.POST('/v1/webhooks/{id}/deliveries/{delivery_id}/resend', {
          params: { path: { id: webhook.id, delivery_id } },
        }),
      ),
    onSuccess: changed,
  });
  return (
    <li className="flex flex-col gap-1 border-b border-line py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={tones[status]}>{status}</Badge>
        <span className="font-mono text-xs">{type}</span>
        <span className="text-xs text-muted" title={utc(at)}>
          {timeOf(at)}
        </span>
        <Button
          className="ml-auto"
          disabled={!webhook.enabled || status === 'pending'}
          busy={resending.isPending}
          onClick={() => resending.mutate()}
          aria-label={`Send again: ${type} of ${timeOf(at)}`}
        >
          Send again
        </Button>
      </div>
      <p className="text-sm wrap-anywhere">{message}</p>
      <p className="text-xs text-muted wrap-anywhere">{attemptsText(delivery, attempts)}</p>
      {resending.error !== null && <Failure error={resending.error} />}
    </li>
  );
}

function attemptsText(
  { error, next_attempt_at: next, response_status: status }: AlertDelivery,
  attempts: number,
): string {
  const made = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const outcome = error ?? (status === null ? undefined : `the server answered ${status}`);
  const later = error !== null && next !== null ? `next attempt at ${timeOf(next)}` : undefined;
  return [made, outcome, later].filter((part) => part !== undefined).join(' · ');
}
