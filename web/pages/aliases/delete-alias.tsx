import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { Alias } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useAliasesChanged } from './use-aliases-changed.ts';

interface DeleteAliasProps {
  readonly alias: Alias;
  readonly onClose: () => void;
}

export function DeleteAlias({ alias: { name }, onClose }: DeleteAliasProps) {
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/aliases/{name}', { params: { path: { name } } })),
    onSuccess: useAliasesChanged(onClose),
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      lead="Calls that ask for it are rejected from then on, unless the operator has set an alias of this name."
      action="Delete"
      mutation={deleting}
      onClose={onClose}
    />
  );
}
