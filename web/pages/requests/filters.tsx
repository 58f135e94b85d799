import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { RefObject } from 'react';
import { capabilities, keys, models, modules } from '../../api/queries.ts';
import type { RequestsSearch } from '../../app/router.tsx';
import { Button, Input, Select } from '../../parts/controls.tsx';
import { timeOf } from '../../parts/format.ts';

interface FiltersProps {
  readonly search: Omit<RequestsSearch, 'open'>;
  readonly searchBox: RefObject<HTMLInputElement | null>;
  readonly onChange: (search: RequestsSearch) => void;
  readonly onOpen: (id: string) => void;
}

const states: readonly (readonly [string, string])[] = [
  ['', 'Any result'],
  ['error', 'All errors'],
  ['2xx', 'Answered'],
  ['answered', 'Answered from cache'],
  ['rejected', 'Rejected by a module'],
  ['4xx', 'Rejected (4xx)'],
  ['5xx', 'Failed (5xx)'],
  ['429', 'Rate limited (429)'],
  ['402', 'Budget used up (402)'],
];

/** Filters that links set and a click removes. */
const chips = [
  ['model', 'Any model'],
  ['client', 'Any client'],
  ['conversation', 'Any conversation'],
  ['end_user', 'Any end user'],
] as const;

const selectLook = 'min-w-0 sm:w-auto! sm:max-w-44';

export function Filters({ search, searchBox, onChange, onOpen }: FiltersProps) {
  const { data: about } = useQuery(capabilities);
  const { data: known = [] } = useQuery(models);
  const { data: loaded } = useQuery(modules);
  const { data: mine } = useQuery({ ...keys, enabled: about?.mode === 'cloud' });
  const set = (name: keyof RequestsSearch, value: string) => {
    const { [name]: _, ...rest } = search as RequestsSearch;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  const { status = '', effect, provider = '', key = '', module = '', from, to } = search;
  const isOther = status !== '' && !states.some(([value]) => value === status);
  return (
    <search aria-label="Filters" className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <form
        className="col-span-2 sm:min-w-40 sm:max-w-64 sm:grow"
        onSubmit={(event) => {
          event.preventDefault();
          const text = searchBox.current?.value.trim() ?? '';
          if (/^req_[0-9a-f]{32}$/.test(text)) onOpen(text);
          else set('search', text);
        }}
      >
        <Input
          ref={searchBox}
          key={search.search ?? ''}
          type="search"
          list="known-models"
          aria-label="Part of a model’s name or of an error, or an id"
          placeholder="Model, error or id"
          defaultValue={search.search ?? ''}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <datalist id="known-models">
          {known.slice(0, 500).map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
      </form>
      <Select
        aria-label="Result"
        className={selectLook}
        value={effect ?? status}
        onChange={(event) => {
          const { status: _, effect: __, ...rest } = search;
          const { value } = event.target;
          if (value === 'answered' || value === 'rejected') onChange({ ...rest, effect: value });
          else onChange(value === '' ? rest : { ...rest, status: value });
        }}
      >
        {states.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
        {isOther && <option value={status}>{status}</option>}
      </Select>
      <Select
        aria-label="Provider"
        className={selectLook}
        value={provider}
        onChange={(event) => set('provider', event.target.value)}
      >
        <option value="">Any provider</option>
        {(about?.providers ?? []).map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Module"
        className={selectLook}
        value={module}
        onChange={(event) => set('module', event.target.value)}
      >
        <option value="">Any module</option>
        {(loaded?.modules ?? []).map(({ name }) => (
          <option key={name} value={name}>
            {name} acted
          </option>
        ))}
      </Select>
      {about?.mode === 'cloud' && (
        <Select
          aria-label="Key"
          className={selectLook}
          value={key}
          onChange={(event) => set('key', event.target.value)}
        >
          <option value="">Any key</option>
          {(mine?.keys ?? []).map(({ id, name, prefix }) => (
            <option key={id} value={id}>
              {name === '' ? prefix : name}
            </option>
          ))}
        </Select>
      )}
      {chips.map(
        ([name, any]) =>
          search[name] !== undefined && (
            <Button
              key={name}
              className="min-w-0 max-w-full shrink! max-sm:col-span-2"
              onClick={() => set(name, '')}
            >
              <span className="truncate font-mono text-xs" title={search[name]}>
                {search[name]}
              </span>
              <X aria-label={any} className="size-3.5 shrink-0" />
            </Button>
          ),
      )}
      {(from !== undefined || to !== undefined) && (
        <Button
          className="max-sm:col-span-2"
          onClick={() => {
            const { from: _, to: __, ...rest } = search;
            onChange(rest);
          }}
        >
          {from === undefined ? '' : `since ${timeOf(from)}`} {to === undefined ? '' : `until ${timeOf(to)}`}
          <X aria-label="Any time" className="size-3.5" />
        </Button>
      )}
    </search>
  );
}
