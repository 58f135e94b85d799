import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type Webhook, webhooks } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { timeOf } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Empty, Failure, Loaded, Page, Rows } from '../../parts/states.tsx';
import { DeleteWebhook } from './delete-webhook.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { nameOf } from './name-of.ts';
import { useWebhooksChanged } from './use-webhooks-changed.ts';

const route = getRouteApi('/alerts');

/** Where alerts are sent, and what was sent. */
export function Alerts() {
  const list = useQuery(webhooks);
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Webhook>();
  const [deleting, setDeleting] = useState<Webhook>();
  const show = (id: string | undefined) =>
    void navigate({ search: id === undefined ? {} : { open: id }, resetScroll: false });
  const opened = list.data?.webhooks.find(({ id }) => id === open);
  const events = list.data?.events ?? [];
  return (
    <Page
      title="Alerts"
      lead="Messages to your programs, a Slack channel or your mailbox when a budget runs out, or a key or model fails."
      actions={
        <Allowed right="settings:write">
          <Button look="primary" onClick={() => setCreating(true)}>
            New alert
          </Button>
        </Allowed>
      }
    >
      <Loaded of={list} loading={<Rows count={3} />}>
        {({ webhooks: all }) =>
          all.length === 0 ? (
            <Empty title="No alerts yet.">
              Add an address, a Slack channel or mail, and choose the events that you want to know of.
            </Empty>
          ) : (
            <ul aria-label="Alerts" className="flex flex-col">
              {all.map((webhook) => (
                <WebhookRow
                  key={webhook.id}
                  webhook={webhook}
                  onOpen={() => show(webhook.id)}
                  onEdit={() => setEditing(webhook)}
                  onDelete={() => setDeleting(webhook)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <EditWebhook events={events} onClose={() => setCreating(false)} />}
      {editing !== undefined && (
        <EditWebhook webhook={editing} events={events} onClose={() => setEditing(undefined)} />
      )}
      {deleting !== undefined && <DeleteWebhook webhook={deleting} onClose={() => setDeleting(undefined)} />}
      {opened !== undefined && <Deliveries webhook={opened} onClose={() => show(undefined)} />}
    </Page>
  );
}

interface WebhookRowProps {
  readonly webhook: Webhook;
  readonly onOpen: () => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function WebhookRow({ webhook, onOpen, onEdit, onDelete }: WebhookRowProps) {
  const { id, format, url, events, enabled, disabled_reason: reason } = webhook;
  const name = nameOf(webhook);
  const changed = useWebhooksChanged();
  const testing = useMutation({
    mutationFn: () => told(api.POST('/v1/webhooks/{id}/test', { params: { path: { id } } })),
    onSuccess: async () => {
      await changed();
      onOpen();
    },
  });
  return (
    <li className="flex flex-col gap-2 border-b border-line py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <span className="text-sm font-medium wrap-anywhere">{name}</span>
            {format === 'slack' && <Badge>Slack</Badge>}
            <State webhook={webhook} />
          </span>
          {url !== null && format === 'standard' && (
            <span className="font-mono text-xs text-muted wrap-anywhere">{url}</span>
          )}
          {reason !== null && <span className="text-xs text-refused">Disabled: {reason}.</span>}
          <span className="text-xs text-muted">{events.join(', ')}</span>
        </div>
        <span className="flex flex-wrap gap-2">
          <Allowed right="settings:write">
            <Button look="quiet" onClick={onDelete} aria-label={`Delete ${name}`}>
              Delete
            </Button>
            <Button onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </Allowed>
          <Button onClick={onOpen} aria-label={`Deliveries to ${name}`}>
            Deliveries
          </Button>
          <Allowed right="settings:write">
            <Button
              disabled={!enabled}
              busy={testing.isPending}
              onClick={() => testing.mutate()}
              aria-label={`Test ${name}`}
            >
              Test
            </Button>
          </Allowed>
        </span>
      </div>
      {testing.error !== null && <Failure error={testing.error} />}
    </li>
  );
}

function State({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, failing_since: since } = webhook;
  if (!enabled) return <Badge tone="refused">disabled</Badge>;
  return since === null ? null : <Badge tone="failed">failing since {timeOf(since)}</Badge>;
}
