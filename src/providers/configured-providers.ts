import type { Provider, StreamUsage } from '../kernel/provider.ts';
import { omitUndefined } from '../wire/json-values.ts';
import { openModelAcceptance } from './acceptance/open-models.ts';
import { openaiAcceptance } from './acceptance/openai.ts';
import { builtInProviders } from './index.ts';
import { openaiCompatible } from './openai-compatible.ts';

interface ProviderSettings {
  readonly baseUrls: ReadonlyMap<string, string>;
  readonly streamUsage: ReadonlyMap<string, StreamUsage>;
  readonly resources: ReadonlyMap<string, readonly string[]>;
  readonly regions: ReadonlyMap<string, readonly string[]>;
  readonly deployments: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly apiVersions: ReadonlyMap<string, string>;
}

/** Unknown providers are assumed to accept what the models' makers accept. */
const defaultAcceptance = [...openaiAcceptance, ...openModelAcceptance];

/**
 * Providers that need no key and listen on the gateway's own machine by default. In cloud mode every account could call
 * the operator's loopback ports through them, so they exist only if the operator sets an address.
 */
export function disabledProviders(
  mode: 'local' | 'cloud',
  baseUrls: ReadonlyMap<string, string>,
): Set<string> {
  const disabled = builtInProviders.filter(
    ({ name, keyless, answerLocally }) => keyless && answerLocally === undefined && !baseUrls.has(name),
  );
  return new Set(mode === 'cloud' ? disabled.map(({ name }) => name) : []);
}

interface AirgapSettings extends ProviderSettings {
  readonly credentials: ReadonlyMap<string, unknown>;
  readonly egressAllow: readonly { readonly name: string | undefined }[];
}

/** The providers that a gateway without other connections calls: those with a key, an address or an entry of the operator. */
export function airgapProviders(settings: AirgapSettings): ReadonlySet<string> {
  const { credentials, baseUrls, egressAllow } = settings;
  const allowed = new Set([
    ...credentials.keys(),
    ...baseUrls.keys(),
    ...egressAllow.map(({ name }) => name ?? ''),
  ]);
  const names = configuredProviders(settings).map(({ name }) => name);
  return new Set(names.filter((name) => allowed.has(name)));
}

/** This instance's providers: built-in ones, at their configured addresses, and those that only settings define. */
export function configuredProviders(settings: ProviderSettings): readonly Provider[] {
  const { baseUrls } = settings;
  const names = new Set(builtInProviders.map((provider) => provider.name));
  const added = [...baseUrls]
    .filter(([name]) => !names.has(name))
    .map(([name, baseUrl]) =>
      openaiCompatible({
        name,
        title: name,
        baseUrl,
        keyless: true,
        accepts: defaultAcceptance,
        endpoints: { embeddings: '/embeddings' },
      }),
    );
  return [...builtInProviders, ...added].map((provider) => ({
    ...provider,
    ...providerSettingsFor(provider.name, settings),
  }));
}

function providerSettingsFor(name: string, settings: ProviderSettings): Partial<Provider> {
  return omitUndefined({
    baseUrl: settings.baseUrls.get(name),
    streamUsage: settings.streamUsage.get(name),
    locations: settings.resources.get(name) ?? settings.regions.get(name),
    deployments: settings.deployments.get(name),
    apiVersion: settings.apiVersions.get(name),
  });
}
