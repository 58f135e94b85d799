import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { ApiKey } from '../../api/queries.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';

const typedCharactersMax = 30;

/** Confirmed by name, since there is no way back. */
export function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const name = apiKey.name === '' ? apiKey.prefix : apiKey.name;
  // Nobody types a long name.
  const confirmation = name.length > typedCharactersMax ? apiKey.prefix : name;
  const revoking = useMutation({
    mutationFn: () => told(api.DELETE('/v1/keys/{id}', { params: { path: { id: apiKey.id } } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['keys'] });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Revoke ${name}?`}
      lead="Calls with it are rejected immediately, on all replicas. This cannot be undone."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          revoking.mutate();
        }}
      >
        <Field label={`Type ${confirmation} to confirm`}>
          {(field) => (
            <Input
              {...field}
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        {revoking.error !== null && <Failure error={revoking.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" disabled={typed !== confirmation} busy={revoking.isPending}>
            Revoke
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
