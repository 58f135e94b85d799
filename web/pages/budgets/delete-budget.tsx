import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { StoredBudget } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useBudgetsChanged } from './use-budgets-changed.ts';

interface DeleteBudgetProps {
  readonly budget: StoredBudget;
  readonly onClose: () => void;
}

export function DeleteBudget({ budget: { id, name }, onClose }: DeleteBudgetProps) {
  const changed = useBudgetsChanged();
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/organization/budgets/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      lead="It limits no further call. A new budget of the same kind may begin with nothing spent."
      action="Delete"
      mutation={deleting}
      onClose={onClose}
    />
  );
}
