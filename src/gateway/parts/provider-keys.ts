import { ProviderVault } from '../../accounts/provider-keys.ts';
import { Sealing } from '../../accounts/sealing.ts';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import { testKey } from '../../providers/key-test.ts';
import { byokRoutes } from '../../server/own/routes/byok.ts';
import { keyTestRoute } from '../../server/own/routes/key-test.ts';
import type { Part } from '../part.ts';
import type { Roots } from '../secrets.ts';
import type { Providers } from './providers.ts';
import type { Stores } from './stores.ts';

interface ProviderKeys extends Part {
  readonly vault: ProviderVault;
}

interface ProviderKeyParts {
  readonly stores: Stores;
  readonly roots: Roots;
  readonly providers: Providers;
}

/** Keys of providers that callers have stored. */
export function providerKeysPart({ stores, roots, providers }: ProviderKeyParts): ProviderKeys {
  const { directory, egress, means } = providers;
  const { attempts, versions } = stores.shared;
  const vault = new ProviderVault({
    providerKeys: stores.database.providerKeys,
    versions,
    sealing: new Sealing(roots.derived('provider keys')),
    clock: systemClock,
  });
  return {
    vault,
    routes: [
      ...byokRoutes({ vault, directory }),
      keyTestRoute({
        vault,
        versions,
        attempts,
        directory,
        test: (provider, key) => testKey({ egress, means, provider, key }),
      }),
    ],
    gauges: [
      {
        name: 'weir_provider_keys_open',
        help: `Stored provider keys that are kept open, of ${limits.openedKeysKept}`,
        read: () => vault.openKeys,
      },
    ],
    features: ['byok'],
  };
}
