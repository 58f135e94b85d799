import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { capabilities, keys, projects } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { timeOf } from '../../parts/format.ts';
import { formats } from '../../parts/formats.ts';
import { useRights } from '../../parts/rights.tsx';
import { timeRanges } from '../../parts/time-ranges.ts';
import type { RequestsSearch } from './search.ts';
import type { LogFilters } from './use-log.ts';

/** How calls ended: values of `status` and `effect`. */
export const results: readonly (readonly [string, string])[] = [
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

/** Formats of calls of tools and of models, with their names. */
export const wireFormats: readonly (readonly [string, string])[] = [
  ['mcp', 'Tools (MCP)'],
  ...formats.map(({ name, title }) => [name, title] as const),
];

const titles: Readonly<Record<Exclude<keyof LogFilters, 'sort'>, string>> = {
  search: 'Search',
  range: 'Time',
  from: 'From',
  to: 'To',
  status: 'Result',
  effect: 'Result',
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  project: 'Project',
  client: 'Client',
  end_user: 'End user',
  tag: 'Tag',
  wire_format: 'Format',
  conversation: 'Conversation',
  module: 'Module',
};
const names = Object.keys(titles) as (keyof typeof titles)[];

/** Without some of the filters. */
export function without(search: LogFilters, ...names: readonly (keyof LogFilters)[]): LogFilters {
  const left = Object.entries(search).filter(([name]) => !names.some((one) => one === name));
  return Object.fromEntries(left);
}

interface ChipsProps {
  readonly search: LogFilters;
  readonly onChange: (search: RequestsSearch) => void;
}

/** The filters that are on; a click removes one. */
export function FilterChips({ search, onChange }: ChipsProps) {
  const may = useRights();
  const { data: about } = useQuery(capabilities);
  const { data: mine } = useQuery({ ...keys, enabled: about?.mode === 'cloud' && may('keys:read') });
  const { data: listed } = useInfiniteQuery({ ...projects(''), enabled: search.project !== undefined });
  const on = names.filter((name) => search[name] !== undefined);
  if (on.length === 0) return null;
  const textOf = (name: keyof typeof titles): string => {
    const value = search[name] ?? '';
    switch (name) {
      case 'range':
        return search.range === undefined ? '' : timeRanges[search.range];
      case 'from':
      case 'to':
        return timeOf(value);
      case 'status':
      case 'effect':
        return results.find(([one]) => one === value)?.[1] ?? value;
      case 'wire_format':
        return wireFormats.find(([one]) => one === value)?.[1] ?? value;
      case 'provider':
        if (value === 'none') return 'Not sent';
        return about?.providers.find((one) => one.name === value)?.title ?? value;
      case 'key': {
        const key = mine?.keys.find(({ id }) => id === value);
        return key === undefined ? value : key.name || key.prefix;
      }
      case 'project':
        return listed?.pages.flatMap((page) => page.projects).find(({ id }) => id === value)?.name ?? value;
      default:
        return value;
    }
  };
  return (
    <ul aria-label="Active filters" className="flex flex-wrap items-center gap-1.5">
      {on.map((name) => (
        <li key={name} className="max-w-full min-w-0">
          <button
            type="button"
            onClick={() => onChange(without(search, name))}
            className="flex h-6 max-w-full items-center gap-1 rounded-md bg-accent-soft px-2 text-xs text-accent hover:underline"
          >
            <span className="sr-only">Remove the filter</span>
            <span className="shrink-0">{titles[name]}:</span>
            <bdi className="truncate font-medium" title={textOf(name)}>
              {textOf(name)}
            </bdi>
            <X aria-hidden className="size-3 shrink-0" />
          </button>
        </li>
      ))}
      {on.length > 1 && (
        <li>
          <Button
            look="quiet"
            className="h-6 px-2 text-xs"
            onClick={() => onChange(without(search, ...names))}
          >
            Clear all
          </Button>
        </li>
      )}
    </ul>
  );
}
