import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import type { OwnProvider, Provider } from '../../api/queries.ts';
import { Field, Input, Select, TextArea } from '../../parts/controls.tsx';
import { FormDialog, NameField } from '../../parts/form-dialog.tsx';
import { sentence } from '../../parts/states.tsx';
import { settingsIn, textOfHeaders, textOfSettings } from './provider-texts.ts';
import { useChanged } from './use-changed.ts';

interface EditProviderProps {
  /** Undefined for a new one. */
  readonly provider: OwnProvider | undefined;
  readonly known: readonly Provider[];
  readonly onClose: () => void;
}

/** Name, address, headers and models have fields; what few people set is JSON. */
export function EditProvider({ provider, known, onClose }: EditProviderProps) {
  const [name, setName] = useState(provider?.name ?? '');
  const [kind, setKind] = useState(provider?.kind ?? '');
  const [address, setAddress] = useState(provider?.base_url ?? '');
  const [models, setModels] = useState(provider?.models?.join('\n') ?? '');
  const [headers, setHeaders] = useState(textOfHeaders(provider));
  const [further, setFurther] = useState(textOfSettings(provider));
  const saving = useMutation({
    mutationFn: async () => {
      const body = settingsIn({ kind, address, models, headers, further });
      return told(api.PUT('/v1/providers/{name}', { params: { path: { name } }, body }));
    },
    onSuccess: useChanged(onClose),
  });
  const { error } = saving;
  const conflict = error instanceof ApiError && error.code === 'provider_conflict' ? error : undefined;
  const kinds = known.filter(({ name: one }) => one !== 'demo' && one !== 'weir');
  return (
    <FormDialog
      title={provider === undefined ? 'Add a provider' : `Provider ${provider.name}`}
      lead="Only calls of this account can use it."
      action={provider === undefined ? 'Add' : 'Save'}
      isIncomplete={name === '' || (kind === '' && address.trim() === '')}
      saving={saving}
      isFaultInField={conflict !== undefined}
      onClose={onClose}
    >
      {provider === undefined && (
        <NameField
          hint="Stands in front of its models: lower case letters, digits and hyphens."
          error={conflict && sentence(conflict.message)}
          value={name}
          onChange={setName}
        />
      )}
      <Field label="Kind" hint="Formats, prices and the form of keys are those of the kind.">
        {(field) => (
          <Select {...field} value={kind} onChange={({ target }) => setKind(target.value)}>
            <option value="">A server with OpenAI’s API</option>
            {kinds.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Address" hint="With a new host, store its keys and the values of headers again.">
        {(field) => (
          <Input
            {...field}
            placeholder={kind === '' ? 'https://llm.example.com/v1' : 'that of the kind'}
            autoComplete="off"
            spellCheck={false}
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
        )}
      </Field>
      <Field label="Models" hint="One in each line; * stands for any characters. Empty for all.">
        {(field) => (
          <TextArea {...field} rows={3} value={models} onChange={({ target }) => setModels(target.value)} />
        )}
      </Field>
      <Field
        label="Headers"
        hint="One in each line, such as x-team: search. A line without a value keeps the stored one."
      >
        {(field) => (
          <TextArea {...field} rows={3} value={headers} onChange={({ target }) => setHeaders(target.value)} />
        )}
      </Field>
      <Field
        label="Further settings, as JSON"
        hint={
          'Such as {"timeouts": {"answer": "1m"}, "prices": {"llama-4": {"prices": {"input": 0.2, "output": 0.6}}}}'
        }
      >
        {(field) => (
          <TextArea {...field} rows={4} value={further} onChange={({ target }) => setFurther(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
