import { Plus, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Button, IconButton, Input } from '../controls.tsx';

interface ListOption {
  readonly separator: string;
  /** The names that exist; undefined if any may be listed. */
  readonly names: readonly string[] | undefined;
  /** The list that holds if none is set. */
  readonly usual: string;
}

interface ListFieldProps {
  readonly label: string;
  readonly hint: ReactNode;
  readonly list: ListOption;
  /** Empty if the module's default holds. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A list of names: boxes if only some exist, else a field for each. */
export function ListField({ label, hint, list, value, onChange }: ListFieldProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={id} className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium wrap-anywhere">{label}</legend>
      {list.names === undefined ? (
        <NameFields label={label} list={list} value={value} onChange={onChange} />
      ) : (
        <NameBoxes names={list.names} list={list} value={value} onChange={onChange} />
      )}
      <div id={id} className="text-xs text-muted">
        {hint}
      </div>
    </fieldset>
  );
}

type NameListProps = Pick<ListFieldProps, 'list' | 'value' | 'onChange'>;

/** Lists that may be empty say so by this name. */
const emptyList = 'none';

function NameBoxes({ names, list, value, onChange }: NameListProps & { readonly names: readonly string[] }) {
  const { separator, usual } = list;
  const chosen = (value === '' ? usual : value).split(separator);
  const boxes = names.filter((name) => name !== emptyList);
  const toggle = (name: string) => {
    const next = boxes.filter((one) => (one === name) !== chosen.includes(one)).join(separator);
    onChange(next === usual ? '' : next === '' && names.includes(emptyList) ? emptyList : next);
  };
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1">
      {boxes.map((name) => (
        <label key={name} className="flex items-center gap-1.5 text-sm">
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
          {name}
        </label>
      ))}
    </div>
  );
}

function NameFields({
  label,
  list: { separator },
  value,
  onChange,
}: NameListProps & { readonly label: string }) {
  // Empty fields are not part of the value.
  const [draft, setDraft] = useState<readonly string[]>([]);
  const join = (names: readonly string[]) => names.filter((name) => name !== '').join(separator);
  const names = draft.length > 0 && join(draft) === value ? draft : value.split(separator);
  const set = (next: readonly string[]) => {
    setDraft(next);
    onChange(join(next));
  };
  return (
    <div className="flex flex-col gap-1.5">
      {names.map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: fields have no other identity
        <div key={at} className="flex items-center gap-1">
          <Input
            aria-label={`${label} ${at + 1}`}
            value={name}
            onChange={(event) => set(names.toSpliced(at, 1, ...event.target.value.split(separator)))}
          />
          {names.length > 1 && (
            <IconButton label={`Remove ${label} ${at + 1}`} onClick={() => set(names.toSpliced(at, 1))}>
              <X aria-hidden />
            </IconButton>
          )}
        </div>
      ))}
      {names.at(-1) !== '' && (
        <Button look="quiet" className="self-start" onClick={() => set([...names, ''])}>
          <Plus aria-hidden className="size-4" />
          Add to {label}
        </Button>
      )}
    </div>
  );
}
