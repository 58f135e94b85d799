import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { capabilities, health, type Provider, providerKeys } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ago, utc } from '../../parts/format.ts';
import { Badge, Failure, Loaded, Page, Rows } from '../../parts/states.tsx';
import { SetKey } from './set-key.tsx';
import { useChanged } from './use-changed.ts';

/** Keys of one's own at the providers, which calls are paid with. */
export function ProviderKeys() {
  const about = useQuery(capabilities);
  const stored = useQuery(providerKeys);
  const { data: state } = useQuery(health);
  const [setting, setSetting] = useState<Provider>();
  const [removing, setRemoving] = useState<Provider>();
  const isLocal = about.data?.mode === 'local';
  return (
    <Page
      title="Provider keys"
      lead={
        isLocal
          ? 'Calls use the key in the request, else one stored here, else one from the environment.'
          : 'Calls use the key in the request, else one stored here. Stored keys are encrypted and never shown again.'
      }
    >
      <Loaded of={stored} loading={<Rows count={8} />}>
        {({ providers }) => (
          <ul className="flex flex-col">
            {(about.data?.providers ?? [])
              .filter(({ name }) => name !== 'demo')
              .map((provider) => {
                const { name, title } = provider;
                const own = providers.find(({ provider }) => provider === name);
                const isSet = isLocal && state?.providers[name] === true;
                return (
                  <li
                    key={name}
                    className="grid min-h-12 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-b border-line py-2 sm:grid-cols-[9rem_minmax(0,1fr)_auto]"
                  >
                    <span className="font-medium">{title}</span>
                    <span className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-muted max-sm:col-start-1">
                      {own !== undefined ? (
                        <>
                          <Badge tone="saved">stored</Badge>
                          {own.hint !== null && <code className="font-mono text-xs">…{own.hint}</code>}
                          <span title={utc(own.updatedAt)}>{ago(own.updatedAt)}</span>
                        </>
                      ) : isSet ? (
                        <Badge tone="accent">set in the environment</Badge>
                      ) : (
                        'none'
                      )}
                    </span>
                    <span className="flex flex-wrap justify-end gap-2 max-sm:col-start-2 max-sm:row-span-2 max-sm:row-start-1">
                      {own !== undefined && (
                        <>
                          <TestKey provider={name} />
                          <Button look="quiet" onClick={() => setRemoving(provider)}>
                            Remove
                          </Button>
                        </>
                      )}
                      <Button
                        onClick={() => setSetting(provider)}
                        aria-label={`${own === undefined ? 'Store a key' : 'Replace'} for ${title}`}
                      >
                        {own === undefined ? 'Store a key' : 'Replace'}
                      </Button>
                    </span>
                  </li>
                );
              })}
          </ul>
        )}
      </Loaded>
      {setting !== undefined && <SetKey provider={setting} onClose={() => setSetting(undefined)} />}
      {removing !== undefined && <RemoveKey provider={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}

/** Asks the provider for its list of models, which costs nothing. */
function TestKey({ provider }: { readonly provider: string }) {
  const testing = useMutation({
    mutationFn: () =>
      told(api.POST('/v1/byok/{provider}/test', { params: { path: { provider } }, body: {} })),
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

interface ForProvider {
  readonly provider: Provider;
  readonly onClose: () => void;
}

function RemoveKey({ provider, onClose }: ForProvider) {
  const removing = useMutation({
    mutationFn: () =>
      told(api.DELETE('/v1/byok/{provider}', { params: { path: { provider: provider.name } } })),
    onSuccess: useChanged(onClose),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the key for ${provider.title}?`}
      lead="Calls that rely on it fail from then on. The key still works at the provider: revoke it there if it leaked."
    >
      {removing.error !== null && <Failure error={removing.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" busy={removing.isPending} onClick={() => removing.mutate()}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
