import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';

export function ClearCache({ module }: { readonly module: string }) {
  const [asking, setAsking] = useState(false);
  const clearing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/cache', { params: { query: { module } } })),
    onSuccess: () => setAsking(false),
  });
  return (
    <>
      {clearing.isSuccess && (
        <span role="status" className="text-xs text-muted">
          Cleared
        </span>
      )}
      <Button
        look="quiet"
        aria-label={`Clear ${module}`}
        onClick={() => {
          clearing.reset();
          setAsking(true);
        }}
      >
        Clear
      </Button>
      <ConfirmDialog
        open={asking}
        title={`Forget all answers of ${module}?`}
        lead="This cannot be undone; the next calls go to the provider and are charged."
        keep="Keep them"
        action="Forget them"
        mutation={clearing}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
