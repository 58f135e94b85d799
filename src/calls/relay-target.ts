import { GatewayError } from '../kernel/errors.ts';
import type { Provider, Target } from '../kernel/provider.ts';
import type { RelayRequest } from '../kernel/relay.ts';
import type { CallerDirectory } from '../providers/own/own-directory.ts';

/** The provider of the model, or of an endpoint without one. Rejects a provider that lacks the endpoint. */
export function findRelayTarget(
  { route, model, origin }: RelayRequest,
  requestedProvider: string | undefined,
  directory: CallerDirectory,
): Target {
  const { endpoint, defaultProvider, providerPath } = route;
  if (providerPath !== undefined && defaultProvider !== undefined)
    return { provider: directory.provider(defaultProvider), model };
  const target =
    defaultProvider === undefined
      ? directory.resolve(model)
      : { provider: directory.provider(origin?.provider ?? requestedProvider ?? defaultProvider), model };
  if (hasEndpoint(target.provider, endpoint)) return target;
  const others = [...directory.providers.values()].filter((provider) => hasEndpoint(provider, endpoint));
  const names = others.length === 0 ? 'none' : others.map(({ name }) => name).join(', ');
  throw new GatewayError(
    'not_found',
    `${target.provider.title} has no endpoint "${endpoint}" here; providers that have it: ${names}`,
  );
}

function hasEndpoint({ endpoints }: Provider, endpoint: string): boolean {
  return endpoints !== undefined && Object.hasOwn(endpoints, endpoint);
}
