import { X } from 'lucide-react';
import { useState } from 'react';
import { Button, Choice, Field, IconButton } from './controls.tsx';
import { SuggestedInput } from './suggested-input.tsx';

interface RuleListProps {
  readonly label: string;
  /** What one entry is: `model`. */
  readonly entry: string;
  readonly hint: string;
  readonly placeholder: string;
  /** Known names, for completion. */
  readonly known?: readonly string[];
  /** Null allows everything. */
  readonly entries: readonly string[] | null;
  readonly onChange: (entries: readonly string[] | null) => void;
}

/** A list of what a key may use, or everything. */
export function RuleList({ label, entry, hint, placeholder, known = [], entries, onChange }: RuleListProps) {
  const [typed, setTyped] = useState('');
  const add = () => {
    const name = typed.trim();
    if (name !== '' && entries !== null && !entries.includes(name)) onChange([...entries, name]);
    setTyped('');
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-sm">{label}</span>
        <Choice
          label={label}
          value={entries === null ? 'all' : 'some'}
          options={[
            ['all', 'All'],
            ['some', 'Only these'],
          ]}
          onChange={(which) => onChange(which === 'all' ? null : [])}
        />
      </div>
      {entries !== null && (
        <>
          {entries.length === 0 ? (
            <p className="text-xs text-muted">Nothing yet: every {entry} is refused.</p>
          ) : (
            <ul className="flex flex-wrap gap-1.5" aria-label={`Allowed: ${label}`}>
              {entries.map((name) => (
                <li
                  key={name}
                  className="flex max-w-full items-center rounded-md border border-line bg-sunken pl-2"
                >
                  <code className="min-w-0 font-mono text-xs break-all">{name}</code>
                  <IconButton
                    label={`Remove ${name}`}
                    className="size-6!"
                    onClick={() => onChange(entries.filter((one) => one !== name))}
                  >
                    <X />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
          <Field label={`Add: ${entry}`} hint={hint}>
            {(field) => (
              <div className="flex gap-2">
                <SuggestedInput
                  {...field}
                  suggestions={known.filter((name) => !entries.includes(name))}
                  placeholder={placeholder}
                  className="font-mono text-xs!"
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                  onBlur={add}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter') return;
                    event.preventDefault();
                    add();
                  }}
                />
                <Button onClick={add} disabled={typed.trim() === ''} aria-label={`Add the ${entry}`}>
                  Add
                </Button>
              </div>
            )}
          </Field>
        </>
      )}
    </div>
  );
}
