import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { capabilities, health, type Provider, providerKeys } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Badge, Loaded, Page, Rows } from '../../parts/states.tsx';
import { SetKey, type SetKeyPurpose } from './set-key.tsx';
import { StoredKeys } from './stored-keys.tsx';

interface Setting {
  readonly provider: Provider;
  readonly purpose: SetKeyPurpose;
}

/** Keys of one's own at the providers, which calls are paid with. */
export function ProviderKeys() {
  const about = useQuery(capabilities);
  const stored = useQuery(providerKeys);
  const { data: state } = useQuery(health);
  const [setting, setSetting] = useState<Setting>();
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
                const hasKey = providers.some(({ provider }) => provider === name);
                const isSet = isLocal && state?.providers[name] === true;
                const text = hasKey ? 'Add another key' : 'Add a key';
                return (
                  <li
                    key={name}
                    className="grid min-h-12 grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-b border-line py-2 sm:grid-cols-[9rem_minmax(0,1fr)_auto]"
                  >
                    <span className="self-start py-1.5 font-medium">{title}</span>
                    <div className="min-w-0 max-sm:col-span-2 max-sm:row-start-2">
                      {hasKey ? (
                        <StoredKeys
                          provider={provider}
                          onReplace={() => setSetting({ provider, purpose: 'replace' })}
                        />
                      ) : (
                        <p className="flex items-center text-sm text-muted sm:min-h-8">
                          {isSet ? <Badge tone="accent">set in the environment</Badge> : 'none'}
                        </p>
                      )}
                    </div>
                    <Button
                      onClick={() => setSetting({ provider, purpose: hasKey ? 'add' : 'store' })}
                      aria-label={`${text} for ${title}`}
                    >
                      {text}
                    </Button>
                  </li>
                );
              })}
          </ul>
        )}
      </Loaded>
      {setting !== undefined && <SetKey {...setting} onClose={() => setSetting(undefined)} />}
    </Page>
  );
}
