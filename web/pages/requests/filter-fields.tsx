import { Field, Input, Select } from '../../parts/controls.tsx';
import { SuggestedInput } from '../../parts/suggested-input.tsx';
import { toLocalInput } from '../../parts/time-ranges.ts';

interface FilterProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly onSet: (value: string) => void;
}

/** Takes effect when it is left, or with Enter: not every letter is a question to the log. */
export function TextFilter({
  name,
  value = '',
  onSet,
  placeholder = 'Any',
  known = [],
}: FilterProps & { readonly placeholder?: string; readonly known?: readonly string[] }) {
  return (
    <Field label={name}>
      {(field) => (
        <SuggestedInput
          {...field}
          key={value}
          suggestions={known.slice(0, 500)}
          placeholder={placeholder}
          defaultValue={value}
          onBlur={({ target }) => target.value.trim() !== value && onSet(target.value.trim())}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter' || key === 'Escape') currentTarget.blur();
          }}
        />
      )}
    </Field>
  );
}

export function SelectFilter({
  name,
  value = '',
  onSet,
  known,
}: FilterProps & { readonly known: readonly (readonly [string, string])[] }) {
  return (
    <Field label={name}>
      {(field) => (
        <Select {...field} value={value} onChange={(event) => onSet(event.target.value)}>
          <option value="">Any</option>
          {known.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export function TimeFilter({ name, value, onSet }: FilterProps) {
  const text = toLocalInput(value);
  return (
    <Field label={name}>
      {(field) => (
        <Input
          {...field}
          key={text}
          type="datetime-local"
          defaultValue={text}
          onBlur={({ target }) => target.value !== text && onSet(target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') currentTarget.blur();
          }}
        />
      )}
    </Field>
  );
}
