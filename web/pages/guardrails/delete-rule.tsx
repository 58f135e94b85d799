import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { Rule } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
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
    <ConfirmDialog
      title={`Delete ${name}?`}
      lead="Calls whose pipeline lists it in a header are rejected from then on."
      action="Delete"
      mutation={deleting}
      onClose={onClose}
    />
  );
}
