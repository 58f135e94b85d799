import { useState } from 'react';
import { Input } from './controls.tsx';

interface CheckListProps {
  readonly label: string;
  readonly hint?: string;
  /** Values with their texts. */
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Where somebody else searches: the text, and who takes it. Otherwise the list does. */
  readonly search?: string;
  readonly onSearch?: (text: string) => void;
}

/** With a search for those who have more than a few. */
const searchedFrom = 12;
const shownMost = 100;

/** Several of what there is to choose from. What is chosen stays, also if nobody knows it any more. */
export function CheckList({ label, hint, options, chosen, onChange, ...others }: CheckListProps) {
  const [typed, setTyped] = useState('');
  const { search = typed, onSearch = setTyped } = others;
  const known = new Set(options.map(([value]) => value));
  const unknown = chosen.filter((value) => !known.has(value));
  const all = [...options, ...unknown.map((value) => [value, value] as const)];
  const found = all.filter(([value, text]) =>
    `${text} ${value}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const switchOne = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">
        {label}
        {chosen.length > 0 && <span className="font-normal text-muted">{` (${chosen.length})`}</span>}
      </legend>
      {(all.length > searchedFrom || others.onSearch !== undefined) && (
        <Input
          type="search"
          aria-label={`Search: ${label}`}
          placeholder="Search"
          value={search}
          onChange={({ target }) => onSearch(target.value)}
        />
      )}
      {all.length === 0 ? (
        <p className="text-xs text-muted">There are none.</p>
      ) : (
        <div className="flex max-h-40 flex-wrap gap-x-4 overflow-y-auto rounded-md border border-line px-2.5 py-1">
          {found.slice(0, shownMost).map(([value, text]) => (
            <label key={value} className="flex min-h-7 max-w-full items-center gap-2 text-sm">
              <input
                type="checkbox"
                className="shrink-0"
                checked={chosen.includes(value)}
                onChange={() => switchOne(value)}
              />
              <bdi className="min-w-0 wrap-anywhere">{text}</bdi>
            </label>
          ))}
          {found.length === 0 && <span className="py-1 text-xs text-muted">Nothing has this name.</span>}
        </div>
      )}
      {hint !== undefined && <p className="text-xs text-muted">{hint}</p>}
    </fieldset>
  );
}
