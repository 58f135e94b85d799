import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { Alias } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
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
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      lead="Calls that ask for it are rejected from then on, unless the operator has set an alias of this name."
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
