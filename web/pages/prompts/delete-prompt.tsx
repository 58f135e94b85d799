import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { ConfirmByNameDialog } from '../../parts/confirm-dialog.tsx';
import { usePromptsChanged } from './use-prompts-changed.ts';

interface DeletePromptProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeletePrompt({ name, onClose, onDeleted }: DeletePromptProps) {
  const changed = usePromptsChanged();
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/prompts/{name}', { params: { path: { name } } })),
    onSuccess: () => {
      onDeleted();
      return changed();
    },
  });
  return (
    <ConfirmByNameDialog
      title={`Delete ${name}?`}
      lead="All its versions and labels are deleted and can’t be brought back. Calls that name it are rejected from then on."
      name={name}
      purpose="to delete it"
      action="Delete"
      mutation={deleting}
      onClose={onClose}
    />
  );
}
