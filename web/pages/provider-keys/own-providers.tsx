import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type KeyOwner, type OwnProvider, ownProviders, type Provider } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Empty, Loaded, Rows } from '../../parts/states.tsx';
import { EditProvider } from './edit-provider.tsx';
import type { KeySetting } from './provider-keys.tsx';
import { StoredKeys } from './stored-keys.tsx';
import { useChanged } from './use-changed.ts';

interface OwnProvidersProps {
  /** The providers of the gateway. */
  readonly known: readonly Provider[];
  readonly onSetKey: (setting: KeySetting) => void;
}

/** The providers that the account has defined, with their keys. */
export function OwnProviders({ known, onSetKey }: OwnProvidersProps) {
  const list = useQuery(ownProviders);
  const [editing, setEditing] = useState<OwnProvider | 'new'>();
  const [removing, setRemoving] = useState<OwnProvider>();
  if (list.data?.allowed === false && list.data.providers.length === 0) return null;
  return (
    <section aria-label="Your own providers" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">Your own providers</h2>
        {list.data?.allowed === true && (
          <Allowed right="settings:write">
            <Button onClick={() => setEditing('new')}>Add a provider</Button>
          </Allowed>
        )}
      </div>
      <Loaded of={list} loading={<Rows count={2} />}>
        {({ providers }) =>
          providers.length === 0 ? (
            <Empty title="None yet.">
              A server that you run, a second account or a region. Its models are called with its name in
              front.
            </Empty>
          ) : (
            <ul aria-label="Your own providers" className="flex flex-col">
              {providers.map((provider) => (
                <ProviderRow
                  key={provider.name}
                  provider={provider}
                  owner={ownerOf(provider, known)}
                  onSetKey={onSetKey}
                  onEdit={() => setEditing(provider)}
                  onRemove={() => setRemoving(provider)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing !== undefined && (
        <EditProvider
          provider={editing === 'new' ? undefined : editing}
          known={known}
          onClose={() => setEditing(undefined)}
        />
      )}
      {removing !== undefined && (
        <RemoveProvider name={removing.name} onClose={() => setRemoving(undefined)} />
      )}
    </section>
  );
}

/** Its keys have the form of those of its kind. */
function ownerOf({ name, kind }: OwnProvider, known: readonly Provider[]): KeyOwner {
  return { name, title: name, key_forms: known.find((one) => one.name === kind)?.key_forms ?? [] };
}

interface ProviderRowProps {
  readonly provider: OwnProvider;
  readonly owner: KeyOwner;
  readonly onSetKey: (setting: KeySetting) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function ProviderRow({ provider, owner, onSetKey, onEdit, onRemove }: ProviderRowProps) {
  const { name, kind, base_url: address, headers, models, has_key: hasKey } = provider;
  return (
    <li className="flex flex-col gap-2 border-b border-line py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm font-medium wrap-anywhere">{name}</code>
            <Badge tone="accent">{kind ?? 'OpenAI’s API'}</Badge>
          </span>
          <span className="font-mono text-xs text-muted wrap-anywhere">{address}</span>
          <span className="text-xs text-muted wrap-anywhere">
            {models === undefined ? 'All models' : models.join(', ')}
            {headers.length > 0 && ` · headers: ${headers.join(', ')}`}
          </span>
        </div>
        <span className="flex flex-wrap justify-end gap-1">
          <Allowed right="settings:write">
            <TestProvider name={name} />
            <Button look="quiet" onClick={onRemove} aria-label={`Remove ${name}`}>
              Remove
            </Button>
            <Button look="quiet" onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </Allowed>
          <Allowed right="provider-keys:write">
            <Button
              onClick={() => onSetKey({ provider: owner, purpose: hasKey ? 'add' : 'store' })}
              aria-label={`${hasKey ? 'Add another key' : 'Add a key'} for ${name}`}
            >
              {hasKey ? 'Add another key' : 'Add a key'}
            </Button>
          </Allowed>
        </span>
      </div>
      {hasKey && (
        <StoredKeys provider={owner} onReplace={() => onSetKey({ provider: owner, purpose: 'replace' })} />
      )}
    </li>
  );
}

function TestProvider({ name }: { readonly name: string }) {
  const testing = useMutation({
    mutationFn: () => told(api.POST('/v1/providers/{name}/test', { params: { path: { name } } })),
  });
  const { data, error } = testing;
  return (
    <>
      {data !== undefined && (
        <span role="status" title={data.detail} className="flex items-center">
          <Badge tone={data.ok ? 'saved' : 'failed'}>{data.ok ? 'works' : data.detail.slice(0, 60)}</Badge>
        </span>
      )}
      {error !== null && <Badge tone="failed">{error.message.slice(0, 60)}</Badge>}
      <Button
        look="quiet"
        busy={testing.isPending}
        onClick={() => testing.mutate()}
        aria-label={`Test ${name}`}
      >
        Test
      </Button>
    </>
  );
}

function RemoveProvider({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const removing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/providers/{name}', { params: { path: { name } } })),
    onSuccess: useChanged(onClose),
  });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      lead="Its keys and headers are deleted, and calls that name it are rejected from then on."
      action="Remove"
      mutation={removing}
      onClose={onClose}
    />
  );
}
