import { limits } from '../../accounts/limits.ts';
import { ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import { Sealer } from '../../accounts/sealer.ts';
import type { HealthMonitor } from '../../calls/health/health-monitor.ts';
import { testKey } from '../../providers/key-test.ts';
import { byokRoutes } from '../../server/api/routes/byok.ts';
import { keyTestRoute } from '../../server/api/routes/key-test.ts';
import { providerKeyPoolRoutes } from '../../server/api/routes/provider-key-pool.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface ProviderKeysPart extends Part {
  readonly vault: ProviderKeyVault;
}

interface ProviderKeyParts {
  readonly stores: Stores;
  readonly roots: RootSecrets;
  readonly providers: ProvidersPart;
  readonly health: HealthMonitor;
}

/** Stored provider keys of accounts. */
export function providerKeysPart({
  stores,
  roots: rootSecrets,
  providers: providersPart,
  health,
}: ProviderKeyParts): ProviderKeysPart {
  const { directory: providerDirectory, egress, means: signing } = providersPart;
  const { rateLimiter, versions } = stores.shared;
  const vault = new ProviderKeyVault({
    providerKeys: stores.database.providerKeys,
    versions,
    sealer: new Sealer(rootSecrets.deriveKeys('provider keys')),
    clock: stores.clock,
  });
  return {
    vault,
    routes: [
      ...byokRoutes({ vault, directory: providerDirectory }),
      ...providerKeyPoolRoutes({
        vault,
        directory: providerDirectory,
        healthOf: (provider, key) => health.ofCredential(provider, key),
      }),
      keyTestRoute({
        vault,
        attempts: rateLimiter,
        directory: providerDirectory,
        test: (provider, key) => testKey({ egress, signing, provider, key }),
        onAccepted: (provider, key) => health.addAcceptance(provider, key),
      }),
    ],
    gauges: [
      {
        name: 'weir_provider_keys_open',
        help: `Providers of accounts whose decrypted keys are in memory, max ${limits.unsealedKeysMax}`,
        read: () => vault.openKeys,
      },
    ],
    features: ['byok'],
  };
}
