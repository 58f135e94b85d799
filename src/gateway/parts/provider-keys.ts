import { limits } from '../../accounts/limits.ts';
import { ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import { Sealer } from '../../accounts/sealer.ts';
import type { HealthMonitor } from '../../calls/health/health-monitor.ts';
import type { OwnProviders } from '../../calls/own-providers/own-providers.ts';
import type { Provider } from '../../kernel/provider.ts';
import type { Secret } from '../../lib/secret.ts';
import { testKey } from '../../providers/key-test.ts';
import { byokRoutes } from '../../server/api/routes/byok.ts';
import { keyTestRoute } from '../../server/api/routes/key-test.ts';
import { ownProviderRoutes } from '../../server/api/routes/own-providers.ts';
import { providerKeyPoolRoutes } from '../../server/api/routes/provider-key-pool.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface ProviderKeyParts {
  readonly stores: Stores;
  readonly vault: ProviderKeyVault;
  readonly providers: ProvidersPart;
  readonly ownProviders: OwnProviders;
  readonly health: HealthMonitor;
}

export function createVault(stores: Stores, roots: RootSecrets): ProviderKeyVault {
  return new ProviderKeyVault({
    providerKeys: stores.database.providerKeys,
    versions: stores.shared.versions,
    sealer: new Sealer(roots.deriveKeys('provider keys')),
    clock: stores.clock,
  });
}

/** Stored provider keys of accounts, and the providers that they define. */
export function providerKeysPart({
  stores,
  vault,
  providers: providersPart,
  ownProviders,
  health,
}: ProviderKeyParts): Part {
  const { egress, means: signing } = providersPart;
  const { rateLimiter: attempts } = stores.shared;
  const common = { vault, directoryFor: (accountId: string) => ownProviders.directoryFor({ accountId }) };
  const tests = {
    attempts,
    test: (provider: Provider, key?: Secret) => testKey({ egress, signing, provider, key }),
    onAccepted: (provider: Provider, key: Secret) => health.addAcceptance(provider, key),
  };
  return {
    routes: [
      ...byokRoutes(common),
      ...providerKeyPoolRoutes({
        ...common,
        healthOf: (provider, key) => health.ofCredential(provider, key),
      }),
      keyTestRoute({ ...common, ...tests }),
      ...ownProviderRoutes({ ...tests, vault, ownProviders }),
    ],
    gauges: [
      {
        name: 'weir_provider_keys_open',
        help: `Providers of accounts whose decrypted keys are in memory, max ${limits.unsealedKeysMax}`,
        read: () => vault.openKeys,
      },
    ],
    features: ['byok', ...(ownProviders.isAllowed ? ['account-providers'] : [])],
  };
}
