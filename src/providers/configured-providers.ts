import type { OfferedModels, Provider, ProviderTimeouts, StreamUsage } from '../kernel/provider.ts';
import type { HeaderList } from '../lib/headers.ts';
import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { omitUndefined } from '../wire/json-values.ts';
import { openModelAcceptance } from './acceptance/open-models.ts';
import { openaiAcceptance } from './acceptance/openai.ts';
import { builtInProviders } from './index.ts';
import { openaiCompatible } from './openai-compatible.ts';

interface ProviderSettings {
  readonly baseUrls: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, string>;
  readonly headers: ReadonlyMap<string, HeaderList>;
  readonly timeouts: ReadonlyMap<string, ProviderTimeouts>;
  readonly offered: ReadonlyMap<string, OfferedModels>;
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
  providers: readonly Provider[],
  baseUrls: ReadonlyMap<string, string>,
): Set<string> {
  const disabled = providers.filter(
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
  const { credentials, baseUrls, kinds, egressAllow } = settings;
  const allowed = new Set([
    ...credentials.keys(),
    ...baseUrls.keys(),
    ...kinds.keys(),
    ...egressAllow.map(({ name }) => name ?? ''),
  ]);
  const names = configuredProviders(settings).map(({ name }) => name);
  return new Set(names.filter((name) => allowed.has(name)));
}

/** This instance's providers: built-in ones, at their configured addresses, and those that only settings define. */
export function configuredProviders(settings: Partial<ProviderSettings>): readonly Provider[] {
  const { baseUrls = none, kinds = none } = settings;
  const builtIn = new Map(builtInProviders.map((provider) => [provider.name, provider]));
  const added = [...new Set([...baseUrls.keys(), ...kinds.keys()])]
    .filter((name) => !builtIn.has(name))
    .map((name) => {
      const like = builtIn.get(kinds.get(name) ?? '');
      return like === undefined ? compatibleProvider(name, baseUrls.get(name) ?? '') : anotherOf(like, name);
    });
  return [...builtInProviders, ...added].map((provider) => ({
    ...provider,
    ...providerSettingsFor(provider.name, settings),
  }));
}

const none: ReadonlyMap<string, string> = new Map();

export function isBuiltIn(name: string): boolean {
  return builtInProviders.some((provider) => provider.name === name);
}

/** Its models are found with its name as a prefix only. */
export function anotherOf({ ownNames: _, ...like }: Provider, name: string): Provider {
  return {
    ...like,
    name,
    title: `${like.title} (${name})`,
    kind: like.name,
    telemetryName: like.telemetryName ?? like.name,
    requiresProviderPrefix: true,
  };
}

export function compatibleProvider(name: string, baseUrl: string): Provider {
  return openaiCompatible({
    name,
    title: name,
    baseUrl,
    keyless: true,
    accepts: defaultAcceptance,
    endpoints: {
      embeddings: '/embeddings',
      images: '/images/generations',
      image_edits: '/images/edits',
      transcriptions: '/audio/transcriptions',
      speech: '/audio/speech',
      moderations: '/moderations',
      rerank: '/rerank',
      realtime: '/realtime',
    },
    endpointForms: { embeddings: numbersForm },
  });
}

function providerSettingsFor(name: string, settings: Partial<ProviderSettings>): Partial<Provider> {
  return omitUndefined({
    baseUrl: settings.baseUrls?.get(name),
    streamUsage: settings.streamUsage?.get(name),
    headers: settings.headers?.get(name),
    timeouts: settings.timeouts?.get(name),
    offered: settings.offered?.get(name),
    locations: settings.resources?.get(name) ?? settings.regions?.get(name),
    deployments: settings.deployments?.get(name),
    apiVersion: settings.apiVersions?.get(name),
  });
}
