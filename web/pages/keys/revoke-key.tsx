import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { ApiKey } from '../../api/queries.ts';
import { ConfirmByNameDialog } from '../../parts/confirm-dialog.tsx';

const typedCharactersMax = 30;

/** Confirmed by name, since there is no way back. */
export function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const client = useQueryClient();
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
    <ConfirmByNameDialog
      title={`Revoke ${name}?`}
      lead="Calls with it are rejected immediately, on all replicas. This cannot be undone."
      name={confirmation}
      purpose="to confirm"
      action="Revoke"
      mutation={revoking}
      onClose={onClose}
    />
  );
}
