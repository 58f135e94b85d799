import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type KeyOwner, keysOfProvider, type StoredKey } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';
import { ago, percent, timeOf, utc } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Loaded, Rows } from '../../parts/states.tsx';
import { useChanged } from './use-changed.ts';

interface StoredKeysProps {
  readonly provider: KeyOwner;
  /** The first key is to be replaced. */
  readonly onReplace: () => void;
}

/** The keys that are stored for a provider, each with its state. */
export function StoredKeys({ provider, onReplace }: StoredKeysProps) {
  const stored = useQuery(keysOfProvider(provider.name));
  const [removing, setRemoving] = useState<StoredKey>();
  return (
    <Loaded of={stored} loading={<Rows count={1} />}>
      {({ keys }) => {
        const weights = keys.reduce((sum, { weight }) => sum + weight, 0);
        return (
          <>
            <ul aria-label={`Keys for ${provider.title}`} className="flex flex-col gap-1">
              {keys.map((key, at) => (
                <li key={key.id} className="flex min-h-8 flex-wrap items-center justify-between gap-x-4">
                  <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
                    <State of={key} />
                    {key.name !== '' && <span className="text-ink wrap-anywhere">{key.name}</span>}
                    {key.hint !== null && <code className="font-mono text-xs">…{key.hint}</code>}
                    {keys.length > 1 && (
                      <span title="Its share of conversations while all keys work">
                        weight {key.weight} · {percent(key.weight, weights)}
                      </span>
                    )}
                    <span title={utc(key.updatedAt)}>{ago(key.updatedAt)}</span>
                  </span>
                  <span className="flex flex-wrap justify-end gap-1 max-sm:-ml-3">
                    <Allowed right="provider-keys:write">
                      <TestKey provider={provider.name} id={key.id} />
                      {at === 0 && (
                        <Button look="quiet" onClick={onReplace}>
                          Replace
                        </Button>
                      )}
                      <Button look="quiet" onClick={() => setRemoving(key)}>
                        Remove
                      </Button>
                    </Allowed>
                  </span>
                </li>
              ))}
            </ul>
            {removing !== undefined && (
              <RemoveKey
                provider={provider}
                id={removing.id}
                isLast={keys.length === 1}
                onClose={() => setRemoving(undefined)}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function State({ of: { state, until, models } }: { readonly of: StoredKey }) {
  const title = models.length === 0 ? 'For all models' : `For ${models.join(', ')}`;
  switch (state) {
    case 'ok':
      return <Badge tone="saved">stored</Badge>;
    case 'resting':
      return (
        <span title={title} className="flex">
          <Badge tone="refused">resting{until !== null && ` until ${timeOf(until)}`}</Badge>
        </span>
      );
    case 'rejected':
      return (
        <span title={title} className="flex">
          <Badge tone="failed">
            rejected
            {models.length > 0 && ` for ${models.length === 1 ? models[0] : `${models.length} models`}`}
          </Badge>
        </span>
      );
    case 'unreadable':
      return <Badge tone="failed">can’t be decrypted</Badge>;
  }
}

/** Asks the provider for its list of models, which costs nothing. */
function TestKey({ provider, id }: { readonly provider: string; readonly id: string }) {
  const testing = useMutation({
    mutationFn: () =>
      told(api.POST('/v1/byok/{provider}/test', { params: { path: { provider } }, body: { id } })),
    onSuccess: useChanged(),
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
      <Button look="quiet" busy={testing.isPending} onClick={() => testing.mutate()}>
        Test
      </Button>
    </>
  );
}

interface RemoveKeyProps {
  readonly provider: KeyOwner;
  readonly id: string;
  /** Whether it is the only one. */
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function RemoveKey({ provider, id, isLast, onClose }: RemoveKeyProps) {
  const removing = useMutation({
    mutationFn: () =>
      told(
        api.DELETE('/v1/byok/{provider}/keys/{id}', { params: { path: { provider: provider.name, id } } }),
      ),
    onSuccess: useChanged(onClose),
  });
  const effect = isLast
    ? 'Calls that rely on it fail from then on.'
    : 'Its conversations move to the other keys.';
  return (
    <ConfirmDialog
      title={`Remove the key for ${provider.title}?`}
      lead={`${effect} The key still works at the provider: revoke it there if it leaked.`}
      action="Remove"
      mutation={removing}
      onClose={onClose}
    />
  );
}
