import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';

export function DeleteAll() {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/recordings')),
    onSuccess: async () => {
      await client.resetQueries({
        predicate: ({ queryKey: [name] }) => typeof name === 'string' && name.startsWith('record'),
      });
      setOpen(false);
    },
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delete all</Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Delete all recordings?"
        lead="The content of all recorded calls of this account is deleted. The request log stays. This cannot be undone."
      >
        {deleting.error !== null && <Failure error={deleting.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setOpen(false)}>Keep them</Button>
          <Button look="danger" busy={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete all
          </Button>
        </div>
      </Dialog>
    </>
  );
}
