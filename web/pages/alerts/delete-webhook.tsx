import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { Webhook } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
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
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${nameOf(webhook)}?`}
      lead="Its deliveries are deleted, too. Messages that wait are not sent."
    >
      {deleting.error !== null && <Failure error={deleting.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" busy={deleting.isPending} onClick={() => deleting.mutate()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
