import { systemClock } from '../../kernel/clock.ts';
import type { Means } from '../../kernel/departure.ts';
import { limits } from '../../kernel/limits.ts';
import type { Provider } from '../../kernel/provider.ts';
import { AccessTokens, googleTokenUrl } from '../../providers/access-tokens.ts';
import { Catalog } from '../../providers/catalog/catalog.ts';
import { configuredProviders, disabledProviders } from '../../providers/configured.ts';
import { Directory } from '../../providers/directory.ts';
import { Egress } from '../../providers/egress.ts';
import { TokenEstimator } from '../../providers/tokens/token-estimator.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';

export interface Providers extends Part {
  readonly providers: readonly Provider[];
  /** Those that can be called without a key on the request. */
  readonly ready: readonly Provider[];
  readonly catalog: Catalog;
  readonly directory: Directory;
  readonly egress: Egress;
  readonly means: Means;
  readonly estimator: TokenEstimator;
}

/** Who answers, what that costs, and the connections to them. */
export function providersPart(settings: Settings): Providers {
  const catalog = new Catalog({ overrides: settings.prices });
  const disabled = disabledProviders(settings.mode, settings.baseUrls);
  const directory = new Directory(configuredProviders(settings), catalog, disabled);
  const providers = [...directory.providers.values()];
  const remote = providers.filter((provider) => provider.local === undefined);
  const addresses = remote.map((provider) => provider.baseUrl).filter((baseUrl) => !baseUrl.includes('{'));
  const { tokenUrl = googleTokenUrl } = settings;
  const egress = new Egress([...addresses, tokenUrl], settings.upstreamTimeoutMs);
  const estimator = new TokenEstimator();
  return {
    providers,
    ready: providers.filter((provider) => isReady(provider, settings)),
    catalog,
    directory,
    egress,
    means: new AccessTokens({ egress, clock: systemClock, tokenUrl }),
    estimator,
    gauges: [
      {
        name: 'weir_model_names_remembered',
        help: `Names of models whose provider is remembered, of ${limits.compiledPipelinesMax}`,
        read: () => directory.remembered,
      },
    ],
    features: ['demo-model'],
    async close() {
      await Promise.all([egress.close(), estimator.close()]);
    },
  };
}

/** Whether a call needs no key of its own. */
function isReady({ name, local, keyless }: Provider, { mode, credentials, baseUrls }: Settings): boolean {
  if (local !== undefined || (keyless && baseUrls.has(name))) return true;
  return mode === 'local' && credentials.has(name);
}
