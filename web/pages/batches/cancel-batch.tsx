import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { type BatchRun, batchRuns } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';

interface CancelBatchProps {
  readonly batch: BatchRun;
  readonly onClose: () => void;
}

export function CancelBatch({ batch: { id }, onClose }: CancelBatchProps) {
  const client = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => told(api.POST('/v1/batch-runs/{id}/cancel', { params: { path: { id } } })),
    onSuccess: async () => {
      await client.invalidateQueries(batchRuns);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Cancel this batch?"
      lead="Calls under way end and are billed. No further call begins."
      keep="Let it run"
      action="Cancel the batch"
      mutation={cancelling}
      onClose={onClose}
    />
  );
}
