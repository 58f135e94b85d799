import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { Webhook } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { nameOf } from './name-of.ts';
import { useWebhooksChanged } from './use-webhooks-changed.ts';

interface DeleteWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function DeleteWebhook({ webhook, onClose }: DeleteWebhookProps) {
  const changed = useWebhooksChanged();
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } })),
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${nameOf(webhook)}?`}
      lead="Its deliveries are deleted, too. Messages that wait are not sent."
      action="Delete"
      mutation={deleting}
      onClose={onClose}
    />
  );
}
