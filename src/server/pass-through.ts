import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Provider } from '../kernel/provider.ts';
import { type RelayRoute, wildcardIn } from '../kernel/relay.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { type PassThrough, pathBelow } from '../providers/pass-through.ts';
import { isPlainPath } from '../providers/relay-upstream.ts';
import type { Log } from '../telemetry/log.ts';
import { createRelayFormat, openaiChat, recognizedUsage, wireByName } from '../wire/index.ts';
import { createDataPlaneRouter, type DataPlaneRoute } from './data-plane.ts';
import { rejectCall } from './reject-call.ts';
import type { RelayHandler } from './relay.ts';
import type { RequestContext } from './respond.ts';

export interface PassThroughParts {
  /** The paths that the operator allows. */
  readonly allowed: readonly PassThrough[];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly relay: Pick<RelayHandler, 'handle'>;
  /** The routes of paths that the gateway knows. */
  readonly served: readonly DataPlaneRoute[];
  readonly log: Log;
}

/** The routes `/<provider>/…` of providers with paths that the operator allows. */
export function passThroughRoutes(parts: PassThroughParts): readonly DataPlaneRoute[] {
  const names = new Set(parts.allowed.map(({ provider }) => provider));
  const isServed = servedPaths(parts.served);
  return [...names].flatMap((name) => {
    const provider = parts.providers.get(name);
    if (provider === undefined) throw new Error(`WEIR_PASS_THROUGH: there is no provider "${name}"`);
    if (provider.sign !== undefined || provider.answerLocally !== undefined)
      throw new Error(`WEIR_PASS_THROUGH: calls to ${provider.title} can't be passed through`);
    return methods.map((method) => routeOf(parts, { provider, method, isServed }));
  });
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

interface PassedProvider {
  readonly provider: Provider;
  readonly method: Method;
  readonly isServed: (path: string) => boolean;
}

function routeOf(parts: PassThroughParts, { provider, method, isServed }: PassedProvider): DataPlaneRoute {
  const format = formatOf(provider);
  const route: RelayRoute = {
    purpose: 'relay',
    endpoint: 'pass-through',
    method,
    path: `/${provider.name}/*`,
    summary: `${provider.title}, passed through`,
    body: method === 'GET' || method === 'DELETE' ? 'none' : 'bytes',
    defaultProvider: provider.name,
    // Without a model and a bound, a ceiling holds an assumed amount, which counts unless the answer says more.
    price: method === 'GET' || method === 'DELETE' ? 'free' : 'tokens',
    usageOf: (answer) => recognizedUsage(answer, format.name === 'anthropic-messages'),
  };
  const wire = createRelayFormat(format, route);
  return {
    kind: 'inference',
    tag: 'Inference',
    method,
    path: route.path,
    summary: route.summary,
    wire,
    relayBody: route.body,
    handler: {
      async handle(req: HttpRequest, res: HttpResponse, context: RequestContext) {
        try {
          requireProgram(req);
          const path = pathBelow(provider.baseUrl, wildcardIn(route, context.path));
          const allowed = allowedPath(path, { parts, provider, isServed });
          const passed = { ...route, endpoint: allowed.name, providerPath: `/${path}` };
          await parts.relay.handle(req, res, { context, wire, route: passed });
        } catch (thrown) {
          rejectCall(thrown, { res, context, wire, log: parts.log });
        }
      },
    },
  };
}

/** Links of other sites may lead to pages of the gateway, but must not make calls with its keys. */
function requireProgram(req: HttpRequest): void {
  if (req.header('sec-fetch-mode') === 'navigate')
    throw new GatewayError(
      'cross_site',
      'a path that is passed through is for programs; browsers may not open it',
    );
}

function allowedPath(
  path: string,
  {
    parts,
    provider,
    isServed,
  }: {
    readonly parts: PassThroughParts;
    readonly provider: Provider;
    readonly isServed: PassedProvider['isServed'];
  },
): PassThrough {
  if (!isPlainPath(path))
    throw new GatewayError('invalid_request', 'the path has a segment that is no name or id');
  if (isServed(path))
    throw new GatewayError(
      'invalid_request',
      `the gateway serves this path itself; leave out "/${provider.name}" and name the provider in the model or in x-weir-provider`,
    );
  const allowed = parts.allowed.find((one) => one.provider === provider.name && one.pattern.matches(path));
  if (allowed !== undefined) return allowed;
  throw new GatewayError(
    'not_found',
    `calls to "${provider.name}/${path.slice(0, 200)}" are not passed through; the operator lists paths in WEIR_PASS_THROUGH`,
  );
}

/** Paths with a price, a bound or an owner of their own, however they are written: they are never passed through. */
function servedPaths(routes: readonly DataPlaneRoute[]): (path: string) => boolean {
  const find = createDataPlaneRouter(routes.map((route) => ({ ...route, path: route.path.toLowerCase() })));
  const headers = routes.flatMap(({ header }) => (header === undefined ? [] : [header, '']));
  return (path) => {
    const lower = path.toLowerCase();
    return ['', 'v1/', 'v1beta/'].some(
      (version) => find(`/${version}${lower}`, 'GET', headers) !== undefined,
    );
  };
}

/** The format of a provider's errors. */
function formatOf({ wires: [first] }: Provider): WireFormat {
  return (first && wireByName(first.name)) ?? openaiChat;
}
