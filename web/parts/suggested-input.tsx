import { type ComponentProps, useId } from 'react';
import { Input } from './controls.tsx';

interface SuggestedInputProps extends ComponentProps<'input'> {
  readonly suggestions: readonly string[];
}

/** A field for a name, with those that are known. */
export function SuggestedInput({ suggestions, ...rest }: SuggestedInputProps) {
  const list = useId();
  return (
    <>
      <Input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        list={suggestions.length === 0 ? undefined : list}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}
