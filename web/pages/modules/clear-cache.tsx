import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';

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
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Forget all answers of ${module}?`}
        lead="This cannot be undone; the next calls go to the provider and are charged."
      >
        {clearing.error !== null && <Failure error={clearing.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setAsking(false)}>Keep them</Button>
          <Button look="danger" busy={clearing.isPending} onClick={() => clearing.mutate()}>
            Forget them
          </Button>
        </div>
      </Dialog>
    </>
  );
}
