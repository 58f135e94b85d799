import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { type ArchivedConversation, archive } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count } from '../../parts/format.ts';
import { Failure } from '../../parts/states.tsx';

interface DeleteProps extends Pick<ArchivedConversation, 'conversation' | 'items'> {
  readonly onClose: () => void;
}

export function DeleteConversation({ conversation, items, onClose }: DeleteProps) {
  const client = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/archive', { params: { query: { conversation } } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: archive.queryKey });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete archived passages?"
      lead={`${count(items)} ${items === 1 ? 'passage' : 'passages'} of ${conversation}. Models can’t recall them any more; this can’t be undone.`}
    >
      {deleting.error !== null && <Failure error={deleting.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={deleting.isPending} onClick={() => deleting.mutate()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
