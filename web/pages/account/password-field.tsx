import { Field, Input } from '../../parts/controls.tsx';

interface PasswordFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** One that is made up now, of which browsers and people ask more. */
  readonly isNew?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function PasswordField({ label, hint, isNew = false, value, onChange }: PasswordFieldProps) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(field) => (
        <Input
          {...field}
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          {...(isNew && { minLength: 8 })}
          required
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
