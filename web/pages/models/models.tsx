import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { capabilities, catalog, health, providerKeys, type RangeName, summary } from '../../api/queries.ts';
import { useKeys } from '../../app/shortcuts.ts';
import { Input, Select } from '../../parts/controls.tsx';
import { count } from '../../parts/format.ts';
import { PeriodChoice } from '../../parts/period-choice.tsx';
import { Failure, Loaded, Page, Rows } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Comparison } from './comparison.tsx';
import { abilitiesOf, findModels, type KnownModel, knownModels, matches, nameOf } from './known-models.ts';
import { keyFigure, ModelName, ownFigures, priceFigures, TryLink, windowFigure } from './model-figures.tsx';
import type { ModelsSearch } from './search.ts';

const route = getRouteApi('/models');
const comparedMax = 4;
const rowsMax = 100;
/** What models cost and can do, and how they did here. */
export function Models() {
  const { range = '30d' } = route.useSearch();
  const navigate = route.useNavigate();
  const listed = useQuery(catalog);
  return (
    <Page
      title="Models"
      lead="Prices are dollars for a million tokens. Calls, errors, first token (median / 95 %) and cost are yours."
      actions={
        <PeriodChoice
          value={range}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, range: next }), replace: true })
          }
        />
      }
    >
      <Loaded of={listed} loading={<Rows count={12} />}>
        {({ models }) => <ModelTable listed={models} />}
      </Loaded>
    </Page>
  );
}

type ModelList = Parameters<typeof abilitiesOf>[0];

function ModelTable({ listed }: { readonly listed: ModelList }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { range = '30d', compare = '', sort } = search;
  const sums = useQuery(summary(range));
  const known = useKnownModels(listed, range);
  const set = (changes: { readonly [Name in keyof ModelsSearch]: ModelsSearch[Name] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false });
  if (known === undefined) return <Rows count={12} />;
  const names = compare.split(',').map((name) => name.trim());
  const { found: compared, missing } = findModels(
    known,
    names.filter((name) => name !== ''),
  );
  const toggle = (model: KnownModel) => {
    const next = compared.includes(model) ? compared.filter((one) => one !== model) : [...compared, model];
    set({
      compare: next.length === 0 ? undefined : next.map(({ provider, id }) => nameOf(provider, id)).join(),
    });
  };
  const found = known.filter((model) => matches(model, search));
  const columns: readonly Column<KnownModel>[] = [
    {
      title: 'Compare',
      plain: true,
      cell: (model) => (
        <input
          type="checkbox"
          aria-label={`Compare ${model.id} of ${model.provider ?? 'no provider'}`}
          className="size-4 align-middle accent-accent"
          checked={compared.includes(model)}
          disabled={!compared.includes(model) && compared.length >= comparedMax}
          onChange={() => toggle(model)}
        />
      ),
    },
    {
      title: 'Model',
      long: true,
      cell: (model) => <ModelName model={model} range={range} />,
      sortBy: ({ id }) => id,
    },
    ...[...priceFigures, windowFigure, keyFigure, ...ownFigures],
    { title: 'Playground', plain: true, end: true, cell: (model) => <TryLink model={model} /> },
  ];
  return (
    <>
      {missing.length > 0 && (
        <p className="text-sm text-muted" role="status">
          No model is called <bdi className="font-mono text-xs">{missing.join(', ')}</bdi>.
        </p>
      )}
      {compared.length > 1 && (
        <Comparison models={compared.slice(0, comparedMax)} range={range} onRemove={toggle} />
      )}
      <ModelFilters listed={listed} found={found.length} onChange={set} />
      {sums.error !== null && <Failure error={sums.error} onRetry={() => void sums.refetch()} />}
      <Table
        rows={found}
        rowKey={({ provider, id }) => nameOf(provider, id)}
        columns={columns}
        most={rowsMax}
        sort={
          sort === undefined
            ? undefined
            : { title: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }
        }
        onSort={({ title, isDescending }) => set({ sort: `${isDescending ? '-' : ''}${title}` })}
        empty="No model matches."
      />
    </>
  );
}

interface ModelFiltersProps {
  readonly listed: ModelList;
  readonly found: number;
  readonly onChange: (changes: ModelsSearch) => void;
}

function ModelFilters({ listed, found, onChange }: ModelFiltersProps) {
  const { q = '', provider = '', ability = '', show = '' } = route.useSearch();
  const { data: about } = useQuery(capabilities);
  const box = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => box.current?.focus() });
  const look = 'min-w-0 sm:w-auto!';
  const set = (name: keyof ModelsSearch, value: string) =>
    onChange({ [name]: value === '' ? undefined : value } as ModelsSearch);
  return (
    <search aria-label="Models" className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <Input
        ref={box}
        type="search"
        aria-label="Part of a name"
        placeholder="Search models"
        className="max-sm:col-span-2 sm:max-w-72"
        value={q}
        onChange={({ target }) => set('q', target.value)}
      />
      <Select
        aria-label="Provider"
        className={look}
        value={provider}
        onChange={({ target }) => set('provider', target.value)}
      >
        <option value="">Any provider</option>
        {(about?.providers ?? []).map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Ability"
        className={look}
        value={ability}
        onChange={({ target }) => set('ability', target.value)}
      >
        <option value="">Any ability</option>
        {abilitiesOf(listed).map((name) => (
          <option key={name} value={name}>
            {name.replaceAll('_', ' ')}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Show"
        className={look}
        value={show}
        onChange={({ target }) => set('show', target.value)}
      >
        <option value="">All models</option>
        <option value="key">With a provider key</option>
        <option value="used">Called in this period</option>
      </Select>
      <span className="text-xs text-muted" role="status">
        {count(found)} {found === 1 ? 'model' : 'models'}
      </span>
    </search>
  );
}

/**
 * A key of the environment or a stored one; the demo provider needs none. Undefined until all is known that rows are
 * ordered by, so that none of them moves.
 */
function useKnownModels(listed: ModelList, range: RangeName): readonly KnownModel[] | undefined {
  const { data: sums, isPending: isSumming } = useQuery(summary(range));
  const { data: environment, isPending: isAsking } = useQuery(health);
  const { data: stored, isPending: isReading } = useQuery(providerKeys);
  return useMemo(() => {
    if (isSumming || isAsking || isReading) return undefined;
    const withKey = new Set(['demo', ...(stored?.providers ?? []).map(({ provider }) => provider)]);
    for (const [name, isSet] of Object.entries(environment?.providers ?? {})) if (isSet) withKey.add(name);
    return knownModels({ listed, sums: sums?.models ?? [], withKey });
  }, [listed, sums, environment, stored, isSumming, isAsking, isReading]);
}
