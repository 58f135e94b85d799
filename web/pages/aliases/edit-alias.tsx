import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import { type Alias, type ModuleInfo, models, modules } from '../../api/queries.ts';
import { Button, Field, Input, Select } from '../../parts/controls.tsx';
import { FormDialog, NameField } from '../../parts/form-dialog.tsx';
import { OrderedList } from '../../parts/ordered-list.tsx';
import { sentence } from '../../parts/states.tsx';
import { SuggestedInput } from '../../parts/suggested-input.tsx';
import {
  type KnownPrices,
  type ListedModel,
  priceHint,
  priceOf,
  splitWeight,
  withWeight,
} from './alias-models.ts';
import { useAliasesChanged } from './use-aliases-changed.ts';

interface EditAliasProps {
  /** Undefined for a new one. */
  readonly alias?: Alias;
  readonly prices: KnownPrices;
  readonly onClose: () => void;
}

export function EditAlias({ alias, prices, onClose }: EditAliasProps) {
  const [name, setName] = useState(alias?.name ?? '');
  const [listed, setListed] = useState<readonly ListedModel[]>(alias?.models.map(splitWeight) ?? []);
  const [strategy, setStrategy] = useState(alias?.strategy ?? 'cheapest');
  const [maxUsd, setMaxUsd] = useState(String(alias?.max_usd ?? ''));
  const strategies = strategiesOf(useQuery(modules).data?.modules ?? []);
  const saving = useMutation({
    mutationFn: () =>
      told(
        api.PUT('/v1/aliases/{name}', {
          params: { path: { name } },
          body: {
            ...otherOptionsOf(alias),
            models: listed.map((model) => (strategy === 'weighted' ? withWeight(model) : model.name)),
            strategy,
            ...(maxUsd.trim() !== '' && { max_usd: maxUsd.trim() }),
          },
        }),
      ),
    onSuccess: useAliasesChanged(onClose),
  });
  const { error } = saving;
  const nameFault = error instanceof ApiError && error.code === 'alias_conflict' ? error : undefined;
  return (
    <FormDialog
      onClose={onClose}
      title={alias === undefined ? 'New alias' : `Alias ${alias.name}`}
      action={alias === undefined ? 'Create' : 'Save'}
      isIncomplete={listed.length === 0}
      saving={saving}
      isFaultInField={nameFault !== undefined}
    >
      {alias === undefined && (
        <NameField
          hint="What clients send as the model: letters, digits, dots and hyphens."
          error={nameFault && sentence(nameFault.message)}
          value={name}
          onChange={setName}
        />
      )}
      <ModelList
        listed={listed}
        own={name}
        hasWeights={strategy === 'weighted'}
        prices={prices}
        onChange={setListed}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Strategy" hint={strategyHints[strategy]}>
          {(field) => (
            <Select {...field} value={strategy} onChange={({ target }) => setStrategy(target.value)}>
              {strategies.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Maximum cost of a call, in dollars" hint="Models that would cost more are left out.">
          {(field) => (
            <Input
              {...field}
              inputMode="decimal"
              placeholder="no maximum"
              value={maxUsd}
              onChange={({ target }) => setMaxUsd(target.value)}
            />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}

interface ModelListProps {
  readonly listed: readonly ListedModel[];
  /** The alias itself, which it can't contain. */
  readonly own: string;
  readonly hasWeights: boolean;
  readonly prices: KnownPrices;
  readonly onChange: (listed: readonly ListedModel[]) => void;
}

function ModelList({ listed, own, hasWeights, prices, onChange }: ModelListProps) {
  const { data: callable = [] } = useQuery(models);
  const [typed, setTyped] = useState('');
  const names = listed.map(({ name }) => name);
  const offered = [...new Set([...prices.aliases.map((alias) => alias.name), ...callable])].filter(
    (name) => name !== own && !names.includes(name),
  );
  const add = () => {
    const name = typed.trim();
    if (name !== '' && !names.includes(name)) onChange([...listed, { name, weight: '' }]);
    setTyped('');
  };
  const setWeight = (name: string, weight: string) =>
    onChange(listed.map((model) => (model.name === name ? { name, weight } : model)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Models</legend>
      <OrderedList
        label="Models in order"
        empty="No models yet"
        names={names}
        aside={(name) => (
          <span className="flex shrink-0 items-center gap-2 px-1">
            {hasWeights && (
              <Input
                aria-label={`Weight of ${name}`}
                type="number"
                min={1}
                max={1000}
                placeholder="1"
                className="h-7! w-16!"
                value={listed.find((model) => model.name === name)?.weight ?? ''}
                onChange={({ target }) => setWeight(name, target.value)}
              />
            )}
            <span className="text-xs whitespace-nowrap text-muted tabular-nums max-sm:hidden">
              {priceOf(name, prices)}
            </span>
          </span>
        )}
        onChange={(order) => onChange(order.flatMap((at) => listed[at] ?? []))}
      />
      {names.length > 0 && <p className="text-xs text-muted max-sm:hidden">{priceHint}</p>}
      <Field label="Add a model or an alias">
        {(field) => (
          <div className="flex gap-2">
            <SuggestedInput
              {...field}
              suggestions={offered}
              className="font-mono text-xs!"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                add();
              }}
            />
            <Button onClick={add} disabled={typed.trim() === ''}>
              Add
            </Button>
          </div>
        )}
      </Field>
    </fieldset>
  );
}

const strategyHints: Readonly<Record<string, string>> = {
  cheapest: 'The model with the lowest expected cost is called first.',
  order: 'The first model of the list is called first.',
  fastest: 'The model that begins its answers soonest is called first.',
  weighted: 'Conversations are spread by the weights.',
};

/** As this gateway's router has them. */
function strategiesOf(all: readonly ModuleInfo[]): readonly string[] {
  const { properties } = (all.find(({ name }) => name === 'router')?.configuration ?? {}) as {
    readonly properties?: { readonly strategy?: { readonly enum?: readonly string[] } };
  };
  return properties?.strategy?.enum ?? Object.keys(strategyHints);
}

/** Options of the router that have no field here are kept. */
function otherOptionsOf(alias: Alias | undefined): object {
  const { name, source, models, strategy, max_usd, expanded, shadowed, updatedAt, ...others } = alias ?? {};
  return others;
}
