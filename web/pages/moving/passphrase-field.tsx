import { Field, Input } from '../../parts/controls.tsx';

export const passphraseHeader = 'x-weir-passphrase';

interface PassphraseFieldProps {
  readonly hint: string;
  readonly isNew: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function PassphraseField({ hint, isNew, value, onChange }: PassphraseFieldProps) {
  return (
    <Field label="Passphrase" hint={hint}>
      {(field) => (
        <Input
          {...field}
          type="password"
          autoComplete={isNew ? 'new-password' : 'off'}
          minLength={12}
          maxLength={1000}
          // A header has no other characters.
          pattern="[ -~]+"
          title="At least 12 letters, digits, blanks and signs of a plain keyboard"
          required={isNew}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
