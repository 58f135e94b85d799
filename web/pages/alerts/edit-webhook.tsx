import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { capabilities, type Webhook } from '../../api/queries.ts';
import { Button, Choice, Code, Field, Input, Switch } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { eventTitles } from './events.ts';
import { nameOf } from './name-of.ts';
import { useWebhooksChanged } from './use-webhooks-changed.ts';

type Event = Webhook['events'][number];
type Channel = 'url' | 'slack' | 'mail';

interface EditWebhookProps {
  /** Undefined for a new one. */
  readonly webhook?: Webhook;
  /** All events that there are. */
  readonly events: readonly Event[];
  readonly onClose: () => void;
}

/** Makes or changes a webhook. A new secret is shown this once. */
export function EditWebhook({ webhook, events: all, onClose }: EditWebhookProps) {
  const mayMail = useQuery(capabilities).data?.features.includes('mail') === true;
  const [channel, setChannel] = useState<Channel>('url');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly Event[]>(webhook?.events ?? all);
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true);
  const changed = useWebhooksChanged();
  const saving = useMutation({
    mutationFn: () =>
      webhook === undefined ? create(channel, url, events) : change(webhook, { url, events, enabled }),
    onSuccess: async (saved) => {
      await changed();
      if (saved.secret === undefined) onClose();
    },
  });
  const rotating = useMutation({
    mutationFn: (id: string) =>
      told(api.POST('/v1/webhooks/{id}/rotate-secret', { params: { path: { id } } })),
  });
  const secret = rotating.data?.secret ?? saving.data?.secret;
  if (secret !== undefined)
    return <NewSecret secret={secret} isFirst={webhook === undefined} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const kind: Channel = webhook === undefined ? channel : kindOf(webhook);
  const toggle = (event: Event, isOn: boolean) =>
    setEvents(all.filter((one) => (one === event ? isOn : events.includes(one))));
  return (
    <Dialog open onClose={onClose} title={webhook === undefined ? 'New alert' : `Edit ${nameOf(webhook)}`}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {webhook === undefined && (
          <Choice
            label="Send to"
            value={channel}
            options={[
              ['url', 'An address'],
              ['slack', 'Slack'],
              ...(mayMail ? [['mail', 'Mail'] as const] : []),
            ]}
            onChange={setChannel}
          />
        )}
        {kind === 'mail' ? (
          <p className="text-sm text-muted">Mail goes to the confirmed address of your account.</p>
        ) : (
          <Field label={kind === 'slack' ? 'Address of the incoming webhook' : 'Address'} hint={hints[kind]}>
            {(field) => (
              <Input
                {...field}
                type="url"
                required
                maxLength={2000}
                placeholder={placeholders[kind]}
                autoComplete="off"
                spellCheck={false}
                value={url}
                onChange={({ target }) => setUrl(target.value)}
              />
            )}
          </Field>
        )}
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-sm font-medium">Events</legend>
          {all.map((event) => (
            <label key={event} className="flex items-start gap-2 text-sm">
              <input
                type="checkbox"
                className="mt-0.5 size-4 shrink-0 accent-accent"
                checked={events.includes(event)}
                onChange={({ target }) => toggle(event, target.checked)}
              />
              <span>
                {eventTitles[event] ?? event} <code className="font-mono text-xs text-muted">{event}</code>
              </span>
            </label>
          ))}
        </fieldset>
        {webhook !== undefined && (
          <div className="flex items-center gap-2 text-sm">
            <Switch label="Enabled" isOn={enabled} onChange={setEnabled} />
            <span aria-hidden>{enabled ? 'Enabled' : 'Disabled'}</span>
          </div>
        )}
        {saving.error !== null && <Failure error={saving.error} />}
        {rotating.error !== null && <Failure error={rotating.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          {webhook?.format === 'standard' && (
            <Button className="mr-auto" busy={rotating.isPending} onClick={() => rotating.mutate(webhook.id)}>
              New secret
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={events.length === 0} busy={saving.isPending}>
            {webhook === undefined ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface NewSecretProps {
  readonly secret: string;
  readonly isFirst: boolean;
  readonly onClose: () => void;
}

function NewSecret({ secret, isFirst, onClose }: NewSecretProps) {
  return (
    <Dialog
      open
      stays
      wide
      onClose={onClose}
      title="The secret of the signatures"
      lead={`It is shown only this once. Your server verifies messages with it.${isFirst ? '' : ' For 24 hours, messages are signed with the earlier one, too.'}`}
    >
      <Code label="Secret" text={secret} wraps />
      <Button look="primary" className="self-end" onClick={onClose}>
        Done
      </Button>
    </Dialog>
  );
}

const hints = {
  url: 'Messages are signed JSON, by Standard Webhooks.',
  slack: 'Slack shows it under "Incoming Webhooks" of your app.',
} as const;
const placeholders = {
  url: 'https://ops.example.com/weir',
  slack: 'https://hooks.slack.com/services/…',
} as const;

function kindOf({ channel, format }: Webhook): Channel {
  if (channel === 'mail') return 'mail';
  return format === 'slack' ? 'slack' : 'url';
}

function create(channel: Channel, url: string, events: readonly Event[]): Promise<Webhook> {
  const target =
    channel === 'mail'
      ? ({ channel: 'mail' } as const)
      : { url, ...(channel === 'slack' && { format: 'slack' as const }) };
  return told(api.POST('/v1/webhooks', { body: { ...target, events: [...events] } }));
}

interface Edit {
  readonly url: string;
  readonly events: readonly Event[];
  readonly enabled: boolean;
}

function change(webhook: Webhook, { url, events, enabled }: Edit): Promise<Webhook> {
  return told(
    api.PATCH('/v1/webhooks/{id}', {
      params: { path: { id: webhook.id } },
      body: { events: [...events], enabled, ...(url !== (webhook.url ?? '') && { url }) },
    }),
  );
}
