import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { type RefObject, useId, useState } from 'react';
import { capabilities, keys, models, modules, projects, tagUsage } from '../../api/queries.ts';
import { Button, Input, Select } from '../../parts/controls.tsx';
import { daysOf } from '../../parts/day-ranges.ts';
import { useRights } from '../../parts/rights.tsx';
import { fromLocalInput, isTimeRange, timeRanges } from '../../parts/time-ranges.ts';
import { FilterChips, results, wireFormats, without } from './filter-chips.tsx';
import { SelectFilter, TextFilter, TimeFilter } from './filter-fields.tsx';
import type { RequestsSearch } from './search.ts';
import type { LogFilters } from './use-log.ts';

interface FiltersProps {
  readonly search: LogFilters;
  readonly searchBox: RefObject<HTMLInputElement | null>;
  readonly onChange: (search: RequestsSearch) => void;
  readonly onOpen: (id: string) => void;
}

const selectLook = 'min-w-0 sm:w-auto! sm:max-w-44';

/** What most people look for is in the bar, everything else one click away; chips show what is on. */
export function Filters({ search, searchBox, onChange, onOpen }: FiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  const { status = '', effect } = search;
  const isOther = status !== '' && !results.some(([value]) => value === status);
  return (
    <search aria-label="Filters" className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
        <form
          className="col-span-2 sm:max-w-72 sm:min-w-40 sm:grow"
          onSubmit={(event) => {
            event.preventDefault();
            const text = searchBox.current?.value.trim() ?? '';
            if (/^req_[0-9a-f]{32}$/.test(text)) onOpen(text);
            else onChange({ ...without(search, 'search'), ...(text !== '' && { search: text }) });
          }}
        >
          <Input
            ref={searchBox}
            key={search.search ?? ''}
            type="search"
            aria-label="Part of a model’s name or of an error, or an id"
            placeholder="Model, error or id"
            defaultValue={search.search ?? ''}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </form>
        <TimeSelect search={search} onChange={onChange} onCustom={() => setOpen(true)} />
        <Select
          aria-label="Result"
          className={selectLook}
          value={effect ?? status}
          onChange={({ target: { value } }) => {
            const rest = without(search, 'status', 'effect');
            if (value === 'answered' || value === 'rejected') onChange({ ...rest, effect: value });
            else onChange(value === '' ? rest : { ...rest, status: value });
          }}
        >
          {results.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
          {isOther && <option value={status}>{status}</option>}
        </Select>
        <Button
          className="max-sm:col-span-2"
          aria-expanded={isOpen}
          aria-controls={panel}
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal aria-hidden className="size-3.5" />
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
      </div>
      <div id={panel} hidden={!isOpen}>
        {isOpen && <FilterPanel search={search} onChange={onChange} />}
      </div>
      <FilterChips search={search} onChange={onChange} />
    </search>
  );
}

interface TimeSelectProps extends Pick<FiltersProps, 'search' | 'onChange'> {
  readonly onCustom: () => void;
}

function TimeSelect({ search, onChange, onCustom }: TimeSelectProps) {
  const { range, from, to } = search;
  const isCustom = range === undefined && (from !== undefined || to !== undefined);
  return (
    <Select
      aria-label="Time"
      className={selectLook}
      value={range ?? (isCustom ? 'custom' : '')}
      onChange={({ target: { value } }) => {
        if (value === 'custom') return onCustom();
        const rest = without(search, 'range', 'from', 'to');
        onChange(isTimeRange(value) ? { ...rest, range: value } : rest);
      }}
    >
      <option value="">Any time</option>
      {Object.entries(timeRanges).map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
      <option value="custom">Custom…</option>
    </Select>
  );
}

function FilterPanel({ search, onChange }: Pick<FiltersProps, 'search' | 'onChange'>) {
  const may = useRights();
  const { data: about } = useQuery(capabilities);
  const { data: known = [] } = useQuery(models);
  const { data: loaded } = useQuery(modules);
  const { data: mine } = useQuery({ ...keys, enabled: about?.mode === 'cloud' && may('keys:read') });
  const { data: pages } = useInfiniteQuery({ ...projects(''), enabled: about?.mode === 'cloud' });
  const listed = pages?.pages.flatMap((page) => page.projects) ?? [];
  const { data: used } = useQuery(tagUsage(daysOf('30d')));
  const usedTags = (used?.tags ?? []).flatMap(({ tag, value }) => (value === null ? [] : `${tag}:${value}`));
  const set = (name: keyof LogFilters, value: string) =>
    onChange({ ...without(search, name), ...(value !== '' && { [name]: value }) });
  const setTime = (name: 'from' | 'to', value: string) => {
    const at = fromLocalInput(value);
    onChange({ ...without(search, 'range', name), ...(at !== undefined && { [name]: at }) });
  };
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-2 rounded-lg border border-line bg-surface p-3 md:grid-cols-3 xl:grid-cols-5">
      <TextFilter name="Model" value={search.model} onSet={(value) => set('model', value)} known={known} />
      <SelectFilter
        name="Provider"
        value={search.provider}
        onSet={(value) => set('provider', value)}
        known={[
          ...(about?.providers ?? []).map(({ name, title }) => [name, title] as const),
          ['none', 'Not sent'],
        ]}
      />
      {about?.mode === 'cloud' && (
        <SelectFilter
          name="Key"
          value={search.key}
          onSet={(value) => set('key', value)}
          known={(mine?.keys ?? []).map(({ id, name, prefix }) => [id, name === '' ? prefix : name])}
        />
      )}
      {(search.project !== undefined || listed.length > 0) && (
        <SelectFilter
          name="Project"
          value={search.project}
          onSet={(value) => set('project', value)}
          known={listed.map(({ id, name }) => [id, name])}
        />
      )}
      <TextFilter name="Client" value={search.client} onSet={(value) => set('client', value)} />
      <TextFilter name="End user" value={search.end_user} onSet={(value) => set('end_user', value)} />
      <TextFilter
        name="Tag"
        placeholder="team:search"
        value={search.tag}
        onSet={(value) => set('tag', value)}
        known={usedTags}
      />
      <TextFilter
        name="Conversation"
        value={search.conversation}
        onSet={(value) => set('conversation', value)}
      />
      <SelectFilter
        name="Format"
        value={search.wire_format}
        onSet={(value) => set('wire_format', value)}
        known={wireFormats}
      />
      <SelectFilter
        name="Module"
        value={search.module}
        onSet={(value) => set('module', value)}
        known={(loaded?.modules ?? []).map(({ name }) => [name, `${name} acted`])}
      />
      <TimeFilter name="From" value={search.from} onSet={(value) => setTime('from', value)} />
      <TimeFilter name="To" value={search.to} onSet={(value) => setTime('to', value)} />
    </div>
  );
}
