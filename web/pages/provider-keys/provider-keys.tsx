import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  capabilities,
  health,
  type KeyOwner,
  ownProviders,
  type Provider,
  providerKeys,
} from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Loaded, Page, Rows } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { OwnProviders } from './own-providers.tsx';
import { SetKey, type SetKeyPurpose } from './set-key.tsx';
import { StoredKeys } from './stored-keys.tsx';

export interface KeySetting {
  readonly provider: KeyOwner;
  readonly purpose: SetKeyPurpose;
}

/** Keys of one's own at the providers, which calls are paid with. */
export function ProviderKeys() {
  const about = useQuery(capabilities);
  const stored = useQuery(providerKeys);
  const state = useQuery(health);
  const own = useQuery(ownProviders);
  const [setting, setSetting] = useState<KeySetting>();
  const [showsAll, setShowsAll] = useState(false);
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
      <Together of={[about, state, own]} loading={<Rows count={8} />}>
        <Loaded of={stored} loading={<Rows count={8} />}>
          {({ providers }) => {
            const listed = (about.data?.providers ?? [])
              .filter(({ name }) => name !== 'demo')
              .map((provider) => ({
                provider,
                hasKey: providers.some((one) => one.provider === provider.name),
                isSet: isLocal && state.data?.providers[provider.name] === true,
              }));
            const used = listed.filter(({ hasKey, isSet }) => hasKey || isSet);
            const isFolded = used.length > 0 && !showsAll;
            const shown = isFolded ? used : [...used, ...listed.filter((one) => !used.includes(one))];
            return (
              <>
                <ul className="flex flex-col">
                  {shown.map((one) => (
                    <ProviderRow key={one.provider.name} {...one} onSet={setSetting} />
                  ))}
                </ul>
                {isFolded && (
                  <Button className="self-start" onClick={() => setShowsAll(true)}>
                    Show {listed.length - used.length} more providers
                  </Button>
                )}
                <OwnProviders known={about.data?.providers ?? []} onSetKey={setSetting} />
              </>
            );
          }}
        </Loaded>
      </Together>
      {setting !== undefined && <SetKey {...setting} onClose={() => setSetting(undefined)} />}
    </Page>
  );
}

interface ProviderRowProps {
  readonly provider: Provider;
  readonly hasKey: boolean;
  /** Whether the environment has a key. */
  readonly isSet: boolean;
  readonly onSet: (setting: KeySetting) => void;
}

function ProviderRow({ provider, hasKey, isSet, onSet }: ProviderRowProps) {
  const text = hasKey ? 'Add another key' : 'Add a key';
  return (
    <li className="grid min-h-12 grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-b border-line py-2 sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <span className="self-start py-1.5 font-medium">{provider.title}</span>
      <div className="min-w-0 max-sm:col-span-2 max-sm:row-start-2">
        {hasKey ? (
          <StoredKeys provider={provider} onReplace={() => onSet({ provider, purpose: 'replace' })} />
        ) : (
          <p className="flex items-center text-sm text-muted sm:min-h-8">
            {isSet ? <Badge tone="accent">set in the environment</Badge> : 'none'}
          </p>
        )}
      </div>
      <Allowed right="provider-keys:write">
        <Button
          onClick={() => onSet({ provider, purpose: hasKey ? 'add' : 'store' })}
          aria-label={`${text} for ${provider.title}`}
        >
          {text}
        </Button>
      </Allowed>
    </li>
  );
}
