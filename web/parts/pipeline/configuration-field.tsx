import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type Configuration, configurations } from '../../api/queries.ts';
import { Button, Field, Input, Select, TextArea } from '../controls.tsx';
import { Allowed } from '../rights.tsx';
import { Failure } from '../states.tsx';

interface ConfigurationFieldProps {
  readonly module: string;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string | undefined) => void;
}

/** A choice of the module's stored configurations, and an editor of their JSON. */
export function ConfigurationField({ module, chosen, onChoose }: ConfigurationFieldProps) {
  const { data } = useQuery(configurations);
  const [edited, setEdited] = useState<Draft>();
  const mine = data?.configurations.filter((one) => one.module === module) ?? [];
  const current = mine.find(({ name }) => name === chosen);
  const names = mine.map(({ name }) => name);
  if (edited !== undefined)
    return (
      <ConfigurationEditor
        module={module}
        draft={edited}
        onDone={(name) => {
          setEdited(undefined);
          if (name !== chosen) onChoose(name);
        }}
      />
    );
  return (
    <Field label="Configuration" hint="Stored options; those above override them.">
      {(field) => (
        <div className="flex flex-wrap items-center gap-2">
          <Select
            {...field}
            className="min-w-0 grow"
            value={chosen ?? ''}
            onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
          >
            <option value="">none</option>
            {(chosen === undefined || names.includes(chosen) ? names : [...names, chosen]).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
          <Allowed right="settings:write">
            {current?.source === 'account' && (
              <Button onClick={() => setEdited(draftOf(current))}>Edit {current.name}</Button>
            )}
            <Button onClick={() => setEdited(emptyDraft)}>New configuration</Button>
          </Allowed>
        </div>
      )}
    </Field>
  );
}

interface Draft {
  /** Empty for a new one. */
  readonly stored: string;
  readonly text: string;
}

const emptyDraft: Draft = { stored: '', text: '{\n}' };

function draftOf({ name, content }: Configuration): Draft {
  return { stored: name, text: JSON.stringify(content, undefined, 2) };
}

interface EditorProps {
  readonly module: string;
  readonly draft: Draft;
  /** With the name that the pipeline should refer to. */
  readonly onDone: (name: string | undefined) => void;
}

/** No form: the pipeline editor may stand in one. */
function ConfigurationEditor({ module, draft, onDone }: EditorProps) {
  const client = useQueryClient();
  const [name, setName] = useState(draft.stored);
  const [text, setText] = useState(draft.text);
  const path = { params: { path: { module, name } } };
  const finish = async (next: string | undefined) => {
    await Promise.all(
      ['configurations', 'pipeline'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
    onDone(next);
  };
  const saving = useMutation({
    mutationFn: () =>
      told(api.PUT('/v1/configurations/{module}/{name}', { ...path, body: JSON.parse(text) })),
    onSuccess: () => finish(name),
  });
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/configurations/{module}/{name}', path)),
    onSuccess: () => finish(undefined),
  });
  const fault = faultOf(text);
  const failure = saving.error ?? deleting.error;
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium">
        {draft.stored === '' ? `New configuration of ${module}` : `${module}:${draft.stored}`}
      </legend>
      {draft.stored === '' && (
        <Field label="Name of the configuration">
          {(field) => (
            <Input {...field} maxLength={64} value={name} onChange={({ target }) => setName(target.value)} />
          )}
        </Field>
      )}
      <Field label="Options as JSON" error={fault}>
        {(field) => (
          <TextArea
            {...field}
            className="min-h-32 font-mono text-xs!"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {failure !== null && <Failure error={failure} />}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          disabled={name === '' || fault !== undefined}
          busy={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Store
        </Button>
        <Button onClick={() => onDone(draft.stored === '' ? undefined : draft.stored)}>Cancel</Button>
        {draft.stored !== '' && (
          <Button look="danger" busy={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete
          </Button>
        )}
      </div>
    </fieldset>
  );
}

function faultOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'This must be a JSON object.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
