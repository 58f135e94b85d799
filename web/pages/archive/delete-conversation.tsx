import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { type ArchivedConversation, archive } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { count } from '../../parts/format.ts';

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
    <ConfirmDialog
      title="Delete archived passages?"
      lead={`${count(items)} ${items === 1 ? 'passage' : 'passages'} of ${conversation}. Models can’t recall them any more; this can’t be undone.`}
      keep="Cancel"
      action="Delete"
      mutation={deleting}
      onClose={onClose}
    />
  );
}
