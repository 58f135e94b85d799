import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import type { ApiKey } from '../../api/queries.ts';
import { Button, Choice, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { PipelineEditor } from '../../parts/pipeline/pipeline-editor.tsx';
import { Failure, sentence } from '../../parts/states.tsx';
import { AccessFields, type EditedRules, saveRules } from './access-fields.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { type EditedLimits, LimitFields, saveLimits } from './limit-fields.tsx';
import { OwnerField, saveOwner } from './owner-field.tsx';
import { RecordingOfKey } from './recording-of-key.tsx';

/** Name, owner, budget, rate limits, access rules, pipeline, receipts and recording of a key. */
export function EditKey({
  apiKey,
  owner: before,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly owner: string;
  readonly onClose: () => void;
}) {
  const { id } = apiKey;
  const client = useQueryClient();
  const [name, setName] = useState(apiKey.name);
  const [owner, setOwner] = useState(before);
  const [pipeline, setPipeline] = useState(apiKey.pipelineConfig);
  const [limits, setLimits] = useState<EditedLimits>({});
  const [rules, setRules] = useState<EditedRules>({});
  const [warning, setWarning] = useState<string>();
  const saving = useMutation({
    mutationFn: async () => {
      const { response, error } = await api.PATCH('/v1/keys/{id}', {
        params: { path: { id } },
        body: { name, pipelineConfig: pipeline },
      });
      if (!response.ok) throw new ApiError(response.status, error);
      if (owner !== before) await saveOwner(id, owner);
      await saveLimits(id, limits);
      await saveRules(id, rules);
      return response.headers.get('x-weir-warnings') ?? undefined;
    },
    onSuccess: async (warned) => {
      await client.invalidateQueries({ queryKey: ['keys'] });
      await client.invalidateQueries({ queryKey: ['key-limits', id] });
      await client.invalidateQueries({ queryKey: ['key-access'] });
      await client.invalidateQueries({ queryKey: ['budgets'] });
      setLimits({});
      setRules({});
      setWarning(warned);
      if (warned === undefined) onClose();
    },
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={apiKey.name === '' ? apiKey.prefix : apiKey.name}
      lead={`${apiKey.prefix}…`}
    >
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Field label="Name">
          {(field) => (
            <Input {...field} maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <OwnerField value={owner} onChange={setOwner} />
        <BudgetFields pipeline={pipeline} isOwn={apiKey.pipelineConfig !== null} onChange={setPipeline} />
        <LimitFields id={id} edited={limits} onChange={setLimits} />
        <AccessFields id={id} edited={rules} onChange={setRules} />
        <div className="flex flex-col gap-3">
          <Choice
            label="Pipeline"
            value={pipeline === null ? 'usual' : 'own'}
            options={[
              ['usual', 'The gateway’s pipeline'],
              ['own', 'Custom'],
            ]}
            onChange={(which) =>
              setPipeline(which === 'usual' ? null : (apiKey.pipelineConfig ?? 'cost-guard?day=5'))
            }
          />
          {pipeline !== null && (
            <PipelineEditor
              text={pipeline}
              onChange={setPipeline}
              fault={warning === undefined ? undefined : sentence(warning)}
            />
          )}
        </div>
        <ReceiptsOf id={id} />
        <RecordingOfKey id={id} />
        {saving.error !== null && <Failure error={saving.error} />}
        <Button type="submit" look="primary" className="self-end" busy={saving.isPending}>
          Save
        </Button>
      </form>
    </Dialog>
  );
}

/** Takes effect at once. */
function ReceiptsOf({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const queryKey = ['key-receipts', id];
  const path = { params: { path: { id } } };
  const { data } = useQuery({ queryKey, queryFn: () => told(api.GET('/v1/keys/{id}/receipts', path)) });
  const setting = useMutation({
    mutationFn: (enabled: boolean) => told(api.PUT('/v1/keys/{id}/receipts', { ...path, body: { enabled } })),
    onSuccess: (set) => client.setQueryData(queryKey, set),
  });
  return (
    <div className="flex flex-col gap-2">
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          disabled={data === undefined || setting.isPending}
          checked={data?.enabled ?? false}
          onChange={(event) => setting.mutate(event.target.checked)}
        />
        A signed receipt for each call
      </label>
      {setting.error !== null && <Failure error={setting.error} />}
    </div>
  );
}
