import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useServersChanged } from './use-servers-changed.ts';

interface RemoveServerProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function RemoveServer({ name, onClose }: RemoveServerProps) {
  const removing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/mcp/servers/{name}', { params: { path: { name } } })),
    onSuccess: useServersChanged(onClose),
  });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      lead="Its secrets are deleted, and calls of its tools are rejected from then on."
      action="Remove"
      mutation={removing}
      onClose={onClose}
    />
  );
}
