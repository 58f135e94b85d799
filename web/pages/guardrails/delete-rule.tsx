import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { Rule } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { useRulesChanged } from './use-rules-changed.ts';

interface DeleteRuleProps {
  readonly rule: Rule;
  readonly onClose: () => void;
}

export function DeleteRule({ rule: { name }, onClose }: DeleteRuleProps) {
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/guardrails/rules/{name}', { params: { path: { name } } })),
    onSuccess: useRulesChanged(onClose),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      lead="Calls whose pipeline lists it in a header are rejected from then on."
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
