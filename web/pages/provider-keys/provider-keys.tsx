import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { capabilities, health, providerKeys } from '../../api/queries.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ago, utc } from '../../parts/format.ts';
import { Badge, Failure, Loaded, Page, Rows } from '../../parts/states.tsx';

/** Keys of one's own at the providers, which calls are paid with. */
export function ProviderKeys() {
  const about = useQuery(capabilities);
  const stored = useQuery(providerKeys);
  const { data: state } = useQuery(health);
  const [setting, setSetting] = useState<string>();
  const [removing, setRemoving] = useState<string>();
  const isLocal = about.data?.mode === 'local';
  return (
    <Page
      title="Provider keys"
      lead={
        isLocal
          ? 'Calls are paid with a key that they bring, else with one stored here, else with one of the environment.'
          : 'Calls are paid with a key that they bring, else with one stored here. They are sealed at rest and never shown again.'
      }
    >
      <Loaded of={stored} loading={<Rows count={8} />}>
        {({ providers }) => (
          <ul className="flex flex-col">
            {(about.data?.providers ?? [])
              .filter(({ name }) => name !== 'demo')
              .map(({ name, title }) => {
                const own = providers.find(({ provider }) => provider === name);
                const isSet = isLocal && state?.providers[name] === true;
                return (
                  <li
                    key={name}
                    className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2"
                  >
                    <span className="w-36 font-medium">{title}</span>
                    <span className="flex min-w-0 grow flex-wrap items-center gap-2 text-sm text-muted">
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
                    <span className="flex gap-2">
                      {own !== undefined && (
                        <>
                          <TestKey provider={name} />
                          <Button look="quiet" onClick={() => setRemoving(name)}>
                            Remove
                          </Button>
                        </>
                      )}
                      <Button
                        onClick={() => setSetting(name)}
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
  readonly provider: string;
  readonly onClose: () => void;
}

function useChanged(onClose: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['byok'] });
    await client.invalidateQueries({ queryKey: ['models'] });
    onClose();
  };
}

function SetKey({ provider, onClose }: ForProvider) {
  const [key, setKey] = useState('');
  const storing = useMutation({
    mutationFn: () => told(api.PUT('/v1/byok/{provider}', { params: { path: { provider } }, body: { key } })),
    onSuccess: useChanged(onClose),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    storing.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Key for ${provider}`}
      lead="It is stored sealed, goes to this provider only, and is never shown again."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Key">
          {(field) => (
            <Input
              {...field}
              type="password"
              autoComplete="off"
              required
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        {storing.error !== null && <Failure error={storing.error} />}
        <Button type="submit" look="primary" busy={storing.isPending} className="self-end">
          Store
        </Button>
      </form>
    </Dialog>
  );
}

function RemoveKey({ provider, onClose }: ForProvider) {
  const removing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/byok/{provider}', { params: { path: { provider } } })),
    onSuccess: useChanged(onClose),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the key for ${provider}?`}
      lead="Calls that rely on it fail from then on. The provider still knows the key: revoke it there if it leaked."
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
