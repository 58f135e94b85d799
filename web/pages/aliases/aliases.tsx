import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Alias, aliases, catalog } from '../../api/queries.ts';
import { Button, CopyButton } from '../../parts/controls.tsx';
import { usd } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Empty, Loaded, Page, Rows } from '../../parts/states.tsx';
import { type KnownPrices, priceHint, priceOf, splitWeight } from './alias-models.ts';
import { DeleteAlias } from './delete-alias.tsx';
import { EditAlias } from './edit-alias.tsx';

const route = getRouteApi('/aliases');

/** Names that stand for several models. */
export function Aliases() {
  const list = useQuery(aliases);
  const known = useQuery(catalog);
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Alias>();
  const show = (name: string | undefined) =>
    void navigate({ search: name === undefined ? {} : { open: name }, resetScroll: false });
  const opened = list.data?.aliases.find(({ name, source }) => name === open && source === 'account');
  const prices = { models: known.data?.models ?? [], aliases: list.data?.aliases ?? [] };
  return (
    <Page
      title="Aliases"
      lead="Names that clients use like a model. Each call goes to one of the models, and to the next one if that fails."
      actions={
        <Allowed right="settings:write">
          <Button look="primary" onClick={() => setCreating(true)}>
            New alias
          </Button>
        </Allowed>
      }
    >
      <Loaded of={list} loading={<Rows count={4} />}>
        {({ aliases: all }) =>
          all.length === 0 ? (
            <Empty title="No aliases yet.">
              Create one such as <code className="font-mono text-xs">fast</code>, and set it as the model in
              your client.
            </Empty>
          ) : (
            <>
              <ul aria-label="Aliases" className="flex flex-col">
                {all.map((alias) => (
                  <AliasRow
                    key={alias.name}
                    alias={alias}
                    prices={prices}
                    onEdit={() => show(alias.name)}
                    onDelete={() => setDeleting(alias)}
                  />
                ))}
              </ul>
              <p className="text-xs text-muted">{priceHint}</p>
            </>
          )
        }
      </Loaded>
      {creating && <EditAlias prices={prices} onClose={() => setCreating(false)} />}
      {opened !== undefined && (
        <EditAlias key={opened.name} alias={opened} prices={prices} onClose={() => show(undefined)} />
      )}
      {deleting !== undefined && <DeleteAlias alias={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

interface AliasRowProps {
  readonly alias: Alias;
  readonly prices: KnownPrices;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function AliasRow({ alias, prices, onEdit, onDelete }: AliasRowProps) {
  const { name, source, models, strategy = 'cheapest', max_usd: maxUsd, shadowed } = alias;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-2 border-b border-line py-3 sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
      <div className="flex min-w-0 flex-col items-start gap-1">
        <span className="flex max-w-full items-center">
          <code className="min-w-0 truncate font-mono text-sm font-medium" title={name}>
            {name}
          </code>
          <CopyButton text={name} label={`Copy ${name}`} />
        </span>
        {source === 'gateway' && <Badge tone="accent">set by the operator</Badge>}
        {shadowed && <Badge tone="refused">a model has this name</Badge>}
      </div>
      <div className="flex min-w-0 flex-col gap-1 max-sm:col-span-2 max-sm:row-start-2">
        <ol className="flex flex-col gap-0.5 text-sm">
          {models.map(splitWeight).map((model) => (
            <li key={model.name} className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-mono text-xs wrap-anywhere">{model.name}</span>
              {model.weight !== '' && <span className="text-xs text-muted">weight {model.weight}</span>}
              <span className="text-xs whitespace-nowrap text-muted tabular-nums">
                {priceOf(model.name, prices)}
              </span>
            </li>
          ))}
        </ol>
        <p className="text-xs text-muted">
          Strategy: {strategy}
          {maxUsd !== undefined && `, at most ${usd(maxUsd)} a call`}
        </p>
      </div>
      <span className="flex flex-wrap justify-end gap-2">
        {source === 'account' && (
          <Allowed right="settings:write">
            <Button look="quiet" onClick={onDelete} aria-label={`Delete ${name}`}>
              Delete
            </Button>
            <Button onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </Allowed>
        )}
      </span>
    </li>
  );
}
