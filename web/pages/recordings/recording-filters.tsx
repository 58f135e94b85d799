import { useQuery } from '@tanstack/react-query';
import { capabilities, keys, models } from '../../api/queries.ts';
import { timeRanges } from '../../parts/time-ranges.ts';
import { results } from '../requests/filter-chips.tsx';
import { SelectFilter, TextFilter } from '../requests/filter-fields.tsx';
import type { RecordingsSearch } from './search.ts';

type Filters = Omit<RecordingsSearch, 'q'>;

interface RecordingFiltersProps {
  readonly filters: Filters;
  readonly onSet: (name: keyof Filters, value: string) => void;
}

const costs = [
  ['0.001', '$0.001 or more'],
  ['0.01', '$0.01 or more'],
  ['0.1', '$0.10 or more'],
  ['1', '$1 or more'],
] as const;
const sizes = [
  ['10000', '10 KB or more'],
  ['100000', '100 KB or more'],
  ['1000000', '1 MB or more'],
] as const;
const effects: ReadonlySet<string> = new Set(['', 'answered', 'rejected']);

/** What the log knows of the recorded calls, and the size of the recordings. */
export function RecordingFilters({ filters, onSet }: RecordingFiltersProps) {
  const { data: about } = useQuery(capabilities);
  const { data: known = [] } = useQuery(models);
  const { data: mine } = useQuery({ ...keys, enabled: about?.mode === 'cloud' });
  return (
    <search aria-label="Filters" className="grid grid-cols-2 gap-x-3 gap-y-2 md:grid-cols-3 xl:grid-cols-6">
      <SelectFilter
        name="Time"
        value={filters.range}
        onSet={(value) => onSet('range', value)}
        known={Object.entries(timeRanges)}
      />
      <TextFilter name="Model" value={filters.model} onSet={(value) => onSet('model', value)} known={known} />
      <SelectFilter
        name="Result"
        value={filters.status}
        onSet={(value) => onSet('status', value)}
        known={results.filter(([value]) => !effects.has(value))}
      />
      <SelectFilter name="Cost" value={filters.cost} onSet={(value) => onSet('cost', value)} known={costs} />
      <SelectFilter name="Size" value={filters.size} onSet={(value) => onSet('size', value)} known={sizes} />
      {about?.mode === 'cloud' && (
        <SelectFilter
          name="Key"
          value={filters.key}
          onSet={(value) => onSet('key', value)}
          known={(mine?.keys ?? []).map(({ id, name, prefix }) => [id, name === '' ? prefix : name])}
        />
      )}
    </search>
  );
}
