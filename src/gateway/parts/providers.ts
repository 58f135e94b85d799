import type { AllowList } from '../../egress/allow-list.ts';
import type { Reach } from '../../egress/egress.ts';
import {
  accountProvidersPurpose,
  type ProviderAddress,
  ProviderEgress,
} from '../../egress/provider-egress.ts';
import { limits } from '../../kernel/limits.ts';
import { kindOf, type Provider } from '../../kernel/provider.ts';
import type { SigningContext } from '../../kernel/signing.ts';
import { systemClock } from '../../lib/clock.ts';
import { ModelCatalog } from '../../providers/catalog/model-catalog.ts';
import {
  airgapProviders,
  configuredProviders,
  disabledProviders,
} from '../../providers/configured-providers.ts';
import { GoogleAccessTokens, googleTokenUrl } from '../../providers/google-access-tokens.ts';
import { ProviderDirectory } from '../../providers/provider-directory.ts';
import type { TokenEstimator } from '../../providers/tokens/token-estimator.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { EgressPart } from './egress.ts';

export interface ProvidersPart extends Part {
  readonly providers: readonly Provider[];
  /** Providers that need no key on the request. */
  readonly readyProviders: readonly Provider[];
  readonly catalog: ModelCatalog;
  readonly directory: ProviderDirectory;
  readonly egress: ProviderEgress;
  readonly means: SigningContext;
  readonly estimator: TokenEstimator;
}

/** Providers, prices and connections. */
export function providersPart(
  settings: Settings,
  egressPart: EgressPart,
  estimator: TokenEstimator,
  given: readonly Provider[] = [],
): ProvidersPart {
  const modelCatalog = new ModelCatalog({ overrides: settings.prices });
  const known = configuredProviders(settings);
  const all = [...given, ...known];
  const disabled = settings.isAirgapped
    ? unusedProviders(known, airgapProviders(settings))
    : disabledProviders(settings.mode, known, settings.baseUrls);
  const providerDirectory = new ProviderDirectory(all, modelCatalog, disabled);
  const providers = [...providerDirectory.providers.values()];
  const { tokenUrl = googleTokenUrl } = settings;
  const egress = createProviderEgress(providers, settings, egressPart);
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
  };
}

/** Those that need a connection and may not have one. */
function unusedProviders(providers: readonly Provider[], called: ReadonlySet<string>): ReadonlySet<string> {
  const unused = providers.filter(
    ({ name, answerLocally }) => answerLocally === undefined && !called.has(name),
  );
  return new Set(unused.map(({ name }) => name));
}

/** An address that the operator set may be private, a built-in one only if the operator allows it. */
function createProviderEgress(
  providers: readonly Provider[],
  { baseUrls, tokenUrl, upstreamTimeoutMs: silenceMs }: Settings,
  { egress, allowList }: EgressPart,
): ProviderEgress {
  const siteReach = (provider: string, baseUrl: string): Reach =>
    reachOfSite(allowList, provider, new URL(baseUrl).origin);
  const ofVertex = providers.find((provider) => kindOf(provider) === 'vertex');
  const addresses: ProviderAddress[] = [
    {
      baseUrl: tokenUrl ?? googleTokenUrl,
      reach: tokenUrl === undefined ? siteReach('vertex', googleTokenUrl) : 'any',
      provider: ofVertex ?? { name: 'vertex' },
    },
  ];
  for (const provider of providers) {
    const { name, baseUrl, answerLocally } = provider;
    if (answerLocally !== undefined || baseUrl.includes('{')) continue;
    addresses.push({ baseUrl, reach: baseUrls.has(name) ? 'any' : siteReach(name, baseUrl), provider });
  }
  return new ProviderEgress({ egress, addresses, siteReach, silenceMs });
}

/** What the operator allows modules and providers of the instance is not for the providers of accounts. */
function reachOfSite(allowList: AllowList, name: string, origin: string): Reach {
  if (name === accountProvidersPurpose) return allowList.allowsByName(name, origin) ? 'any' : 'public';
  return allowList.reachOf(name, origin) ?? 'public';
}

/** Whether a call needs no provider key. */
function isReady(
  { name, answerLocally, keyless }: Provider,
  { mode, credentials, baseUrls }: Settings,
): boolean {
  if (answerLocally !== undefined || (keyless && baseUrls.has(name))) return true;
  return mode === 'local' && credentials.has(name);
}
