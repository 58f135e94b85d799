import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { KeyOwner, Provider } from '../../api/queries.ts';
import { Button, Choice, Field, Input, TextArea } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { useChanged } from './use-changed.ts';

type Way = Provider['key_forms'][number];
type WayField = Way['fields'][number];

const oneWord: Way = {
  title: 'Key',
  fields: [{ name: '', title: 'Key', kind: 'secret', required: true }],
};

/** The first key is stored or replaced, or another is added to it. */
export type SetKeyPurpose = 'store' | 'replace' | 'add';

interface SetKeyProps {
  readonly provider: KeyOwner;
  readonly purpose: SetKeyPurpose;
  readonly onClose: () => void;
}

/** A key is one word, or has parts that the provider tells of. */
export function SetKey({ provider, purpose, onClose }: SetKeyProps) {
  const { key_forms: ways } = provider;
  const [title, setTitle] = useState(ways[0]?.title ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [name, setName] = useState('');
  const [weight, setWeight] = useState('1');
  const way = ways.find((one) => one.title === title) ?? oneWord;
  const changed = useChanged(onClose);
  const [fault, setFault] = useState<string>();
  const storing = useMutation({
    mutationFn: async (key: string): Promise<unknown> => {
      const params = { path: { provider: provider.name } };
      return purpose === 'add'
        ? told(api.POST('/v1/byok/{provider}/keys', { params, body: { key, name, weight: Number(weight) } }))
        : told(api.PUT('/v1/byok/{provider}', { params, body: { key } }));
    },
    onSuccess: changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = ways.length === 0 ? (values[''] ?? '') : keyOf(way, values);
    setFault(key === undefined ? 'This is not JSON. Paste all of it, from { to }.' : undefined);
    if (key !== undefined) storing.mutate(key);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={purpose === 'add' ? `Another key for ${provider.title}` : `Key for ${provider.title}`}
      lead="It is stored encrypted, sent to this provider only, and never shown again."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {ways.length > 1 && (
          <Choice
            label="Kind of key"
            value={title}
            options={ways.map((one) => [one.title, one.title])}
            onChange={setTitle}
          />
        )}
        {way.fields.map((field) => (
          <KeyPart
            key={`${title} ${field.name}`}
            field={field}
            value={values[field.name] ?? ''}
            error={field.kind === 'object' ? fault : undefined}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        {purpose === 'add' && (
          <>
            <Field label="Name, if any">
              {(field) => (
                <Input
                  {...field}
                  value={name}
                  maxLength={120}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
            <Field label="Weight" hint="A key of weight 2 gets twice the conversations of one of weight 1.">
              {(field) => (
                <Input
                  {...field}
                  type="number"
                  required
                  min={1}
                  max={1000}
                  value={weight}
                  onChange={(event) => setWeight(event.target.value)}
                />
              )}
            </Field>
          </>
        )}
        {storing.error !== null && <Failure error={storing.error} />}
        <Button type="submit" look="primary" busy={storing.isPending} className="self-end">
          Store
        </Button>
      </form>
    </Dialog>
  );
}

interface KeyPartProps {
  readonly field: WayField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function KeyPart({ field: { title, kind, required, example }, value, error, onChange }: KeyPartProps) {
  const given = {
    required,
    value,
    spellCheck: false,
    autoComplete: 'off',
    ...(example !== undefined && { placeholder: example }),
  };
  return (
    <Field label={required ? title : `${title}, if any`} error={error}>
      {(field) =>
        kind === 'object' ? (
          <TextArea
            {...field}
            {...given}
            rows={6}
            className="font-mono text-xs"
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <Input
            {...field}
            {...given}
            type={kind === 'secret' ? 'password' : 'text'}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

/** One JSON text of all parts that were filled in; undefined where one that should be JSON isn't. */
function keyOf({ fields }: Way, values: Readonly<Record<string, string>>): string | undefined {
  const key: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const value = (values[name] ?? '').trim();
    const part = kind === 'object' ? objectIn(value) : { [name]: value };
    if (part === undefined) return undefined;
    if (value !== '') Object.assign(key, part);
  }
  return JSON.stringify(key);
}

function objectIn(text: string): object | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}
