import { X } from 'lucide-react';
import type { RefObject } from 'react';
import { Button, Input, Select } from '../../parts/controls.tsx';
import { isTimeRange, timeRanges } from '../../parts/time-ranges.ts';
import type { SessionsSearch } from './search.ts';

interface FiltersProps {
  readonly search: SessionsSearch;
  readonly searchBox: RefObject<HTMLInputElement | null>;
  readonly onChange: (search: SessionsSearch) => void;
}

const chips = [
  ['client', 'Client'],
  ['end_user', 'End user'],
  ['key', 'Key'],
] as const;

export function SessionFilters({ search, searchBox, onChange }: FiltersProps) {
  const set = (name: keyof SessionsSearch, value: string) => {
    const { [name]: _, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <search aria-label="Filters" className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <form
        className="col-span-2 sm:max-w-72 sm:min-w-40 sm:grow"
        onSubmit={(event) => {
          event.preventDefault();
          set('search', (searchBox.current?.value ?? '').replaceAll(/[^A-Za-z0-9._:-]/g, '').slice(0, 128));
        }}
      >
        <Input
          ref={searchBox}
          key={search.search ?? ''}
          type="search"
          aria-label="The beginning of a session’s id"
          placeholder="Session id"
          defaultValue={search.search ?? ''}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      </form>
      <Select
        aria-label="Time"
        className="min-w-0 sm:w-auto! sm:max-w-44"
        value={search.range ?? ''}
        onChange={({ target: { value } }) => set('range', isTimeRange(value) ? value : '')}
      >
        <option value="">Any time</option>
        {Object.entries(timeRanges).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </Select>
      {chips.map(([name, title]) => {
        const value = search[name];
        if (value === undefined) return null;
        return (
          <Button
            key={name}
            look="quiet"
            className="max-w-64 border-line!"
            aria-label={`Remove the filter ${title}: ${value}`}
            onClick={() => set(name, '')}
          >
            <span className="truncate">
              {title}: <bdi>{value}</bdi>
            </span>
            <X aria-hidden className="size-3.5 shrink-0" />
          </Button>
        );
      })}
    </search>
  );
}
