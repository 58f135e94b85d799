import { api, told } from '../../api/client.ts';
import { Field, Input } from '../../parts/controls.tsx';

interface OwnerFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Who uses a key. */
export function OwnerField({ value, onChange }: OwnerFieldProps) {
  return (
    <Field label="Owner" hint="Optional: the person or team that uses it.">
      {(field) => (
        <Input {...field} maxLength={64} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

export function saveOwner(id: string, owner: string) {
  return told(api.PUT('/v1/keys/{id}/owner', { params: { path: { id } }, body: { owner } }));
}
