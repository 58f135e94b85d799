import { limits } from '../../kernel/limits.ts';
import type { Provider } from '../../kernel/provider.ts';
import type { SigningContext } from '../../kernel/signing.ts';
import { systemClock } from '../../lib/clock.ts';
import { ModelCatalog } from '../../providers/catalog/model-catalog.ts';
import { configuredProviders, disabledProviders } from '../../providers/configured-providers.ts';
import { Egress } from '../../providers/egress.ts';
import { GoogleAccessTokens, googleTokenUrl } from '../../providers/google-access-tokens.ts';
import { ProviderDirectory } from '../../providers/provider-directory.ts';
import { TokenEstimator } from '../../providers/tokens/token-estimator.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';

export interface ProvidersPart extends Part {
  readonly providers: readonly Provider[];
  /** Providers that need no key on the request. */
  readonly readyProviders: readonly Provider[];
  readonly catalog: ModelCatalog;
  readonly directory: ProviderDirectory;
  readonly egress: Egress;
  readonly means: SigningContext;
  readonly estimator: TokenEstimator;
}

/** Providers, prices and connections. */
export function providersPart(settings: Settings): ProvidersPart {
  const modelCatalog = new ModelCatalog({ overrides: settings.prices });
  const disabled = disabledProviders(settings.mode, settings.baseUrls);
  const providerDirectory = new ProviderDirectory(configuredProviders(settings), modelCatalog, disabled);
  const providers = [...providerDirectory.providers.values()];
  const remote = providers.filter((provider) => provider.answerLocally === undefined);
  const addresses = remote.map((provider) => provider.baseUrl).filter((baseUrl) => !baseUrl.includes('{'));
  const { tokenUrl = googleTokenUrl } = settings;
  const egress = new Egress([...addresses, tokenUrl], settings.upstreamTimeoutMs);
  const estimator = new TokenEstimator();
  return {
    providers,
    readyProviders: providers.filter((provider) => isReady(provider, settings)),
    catalog: modelCatalog,
    directory: providerDirectory,
    egress,
    means: new GoogleAccessTokens({ egress, clock: systemClock, tokenUrl }),
    estimator,
    gauges: [
      {
        name: 'weir_model_names_remembered',
        help: `Cached model names, max ${limits.compiledPipelinesMax}`,
        read: () => providerDirectory.cachedNames,
      },
    ],
    features: ['demo-model'],
    async close() {
      await Promise.all([egress.close(), estimator.close()]);
    },
  };
}

/** Whether a call needs no provider key. */
function isReady(
  { name, answerLocally, keyless }: Provider,
  { mode, credentials, baseUrls }: Settings,
): boolean {
  if (answerLocally !== undefined || (keyless && baseUrls.has(name))) return true;
  return mode === 'local' && credentials.has(name);
}
