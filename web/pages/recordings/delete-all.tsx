import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';

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
      <ConfirmDialog
        open={isOpen}
        title="Delete all recordings?"
        lead="The content of all recorded calls of this account is deleted. The request log stays. This cannot be undone."
        keep="Keep them"
        action="Delete all"
        mutation={deleting}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
