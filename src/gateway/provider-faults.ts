import { GatewayError } from '../kernel/errors.ts';
import { kindOf, type Provider } from '../kernel/provider.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { Secret } from '../lib/secret.ts';
import type { SettingIssue } from '../lib/settings.ts';
import { configuredProviders, isBuiltIn } from '../providers/configured-providers.ts';
import type { ParsedSettings } from './settings.ts';

/** What is wrong with providers that each setting by itself can't tell. */
export function providerFaults(read: Partial<ParsedSettings>): readonly SettingIssue[] {
  // With a fault in one of them, it is unknown which providers there are.
  if (read.baseUrls === undefined || read.kinds === undefined) return loopFaults(read);
  const providers = configuredProviders(read);
  return [...loopFaults(read), ...nameFaults(read, providers), ...providerKeyFaults(read, providers)];
}

/** A provider URL that points to this gateway would cause an endless loop. */
function loopFaults({ baseUrls, ...address }: Partial<ParsedSettings>): readonly SettingIssue[] {
  return [...(baseUrls ?? [])]
    .filter(([, upstream]) => pointsAtSelf(upstream, address))
    .map(([provider]) => ({
      variable: `WEIR_${provider.toUpperCase()}_BASE_URL`,
      message: 'points back at this gateway',
    }));
}

function pointsAtSelf(upstream: string, { host, port: ownPort, baseUrl }: Partial<ParsedSettings>): boolean {
  const { hostname, port, protocol, origin } = new URL(upstream);
  if (baseUrl !== undefined && new URL(baseUrl).origin === origin) return true;
  const upstreamPort = Number(port || (protocol === 'https:' ? 443 : 80));
  return upstreamPort === ownPort && (loopback.test(hostname) || hostname === host?.toLowerCase());
}

/** Checks provider keys; other variables of that form are ignored. */
function providerKeyFaults(
  { credentials, keyPools }: Partial<ParsedSettings>,
  providers: readonly Provider[],
): readonly SettingIssue[] {
  return providers.flatMap((provider) => {
    const keys = keyPools?.get(provider.name)?.map(({ secret }) => secret);
    return (keys ?? [credentials?.get(provider.name)]).flatMap((key) =>
      key === undefined ? [] : keyFaults(provider, key),
    );
  });
}

/** Settings by the name of a provider that does not exist, or that has nothing of that kind. */
function nameFaults(read: Partial<ParsedSettings>, providers: readonly Provider[]): readonly SettingIssue[] {
  const names = providers.map(({ name }) => name);
  const named = Object.entries(namedVariables(read)).flatMap(([prefix, map]) =>
    [...(map?.keys() ?? [])].map((name) => ({ name, variable: `${prefix}_${name.toUpperCase()}` })),
  );
  const unknown = named.filter(({ name }) => !names.includes(name));
  const misplaced = providers.flatMap((provider) =>
    (['resources', 'regions', 'deployments', 'apiVersions'] as const).flatMap((field) => {
      const { variable, kinds } = cloudFields[field];
      return read[field]?.has(provider.name) === true && !kinds.includes(kindOf(provider))
        ? {
            variable: `${variable}_${provider.name.toUpperCase()}`,
            message: `is only for ${kinds.join(' and ')}`,
          }
        : [];
    }),
  );
  return [
    ...unknown.map(({ name, variable }) => ({ variable, message: unknownProvider(name, names) })),
    ...misplaced,
    ...[...(read.kinds?.keys() ?? [])]
      .filter((name) => isBuiltIn(name))
      .map((name) => ({
        variable: `WEIR_KIND_${name.toUpperCase()}`,
        message: `"${name}" is a built-in provider; give this one another name`,
      })),
  ];
}

const cloudFields = {
  resources: { variable: 'WEIR_RESOURCES', kinds: ['azure'] },
  regions: { variable: 'WEIR_REGIONS', kinds: ['bedrock', 'vertex'] },
  deployments: { variable: 'WEIR_DEPLOYMENTS', kinds: ['azure', 'bedrock', 'vertex'] },
  apiVersions: { variable: 'WEIR_API_VERSION', kinds: ['azure'] },
};

function namedVariables(
  read: Partial<ParsedSettings>,
): Readonly<Record<string, ReadonlyMap<string, unknown> | undefined>> {
  const { proxies, certificates, timeouts } = read;
  const having = <Value extends object>(map: ReadonlyMap<string, Value> | undefined, field: keyof Value) =>
    new Map([...(map ?? [])].filter(([, value]) => value[field] !== undefined));
  return {
    WEIR_HEADERS: read.headers,
    WEIR_MODELS: read.offered,
    WEIR_RESOURCES: read.resources,
    WEIR_REGIONS: read.regions,
    WEIR_DEPLOYMENTS: read.deployments,
    WEIR_API_VERSION: read.apiVersions,
    WEIR_CONNECT_TIMEOUT: having(timeouts, 'connectMs'),
    WEIR_ANSWER_TIMEOUT: having(timeouts, 'answerMs'),
    WEIR_SILENCE_TIMEOUT: having(timeouts, 'silenceMs'),
    WEIR_PROXY: proxies?.byProvider,
    WEIR_TLS_CA: having(certificates, 'ca'),
    WEIR_TLS_CERT: having(certificates, 'cert'),
    WEIR_TLS_KEY: having(certificates, 'key'),
  };
}

export function unknownProvider(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '.' : `; did you mean "${nearest}"?`;
  return `there is no provider "${name}"${hint} One of your own has a base address or a kind`;
}

function keyFaults(provider: Provider, key: Secret): readonly SettingIssue[] {
  const variable = `${provider.name.toUpperCase()}_API_KEY`;
  if (provider.keyForm === undefined)
    return headerSafeText.test(key.reveal())
      ? []
      : [{ variable, message: 'must be printable ASCII without spaces' }];
  try {
    provider.keyForm.check(key.reveal(), provider);
    return [];
  } catch (thrown) {
    if (!GatewayError.is(thrown)) throw thrown;
    return [{ variable, message: thrown.message }];
  }
}

/** The same rule as for stored provider keys. */
const headerSafeText = /^[!-~]+$/;

const loopback = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;
