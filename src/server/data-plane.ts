import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import type { RelayRoute } from '../kernel/relay.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import { createRelayFormat } from '../wire/index.ts';
import type { InferenceRoute } from './api/route.ts';
import { countTokensResponses } from './count-tokens.ts';
import type { RequestContext } from './respond.ts';

/** Handles a call on the raw request and response. */
interface DataPlaneHandler {
  handle(
    req: HttpRequest,
    res: HttpResponse,
    requestContext: RequestContext,
    wire: WireFormat,
  ): Promise<void>;
}

/** The handlers of each purpose. */
interface DataPlaneHandlers {
  readonly answer: DataPlaneHandler;
  readonly count: DataPlaneHandler;
  relay(route: RelayRoute): DataPlaneHandler;
}

/** A route of the data plane with its handler. */
export interface DataPlaneRoute extends InferenceRoute {
  readonly handler: DataPlaneHandler;
}

/** The routes of all wire formats: calls, token counts and relays. */
export function createDataPlaneRoutes(
  formats: readonly WireFormat[],
  handlers: DataPlaneHandlers,
): readonly DataPlaneRoute[] {
  return formats.flatMap((wire) =>
    wire.routes.map((route): DataPlaneRoute => {
      const { path, summary, purpose } = route;
      const described = { kind: 'inference', tag: 'Inference', path, summary } as const;
      if (purpose === 'relay')
        return {
          ...described,
          method: route.method,
          wire: createRelayFormat(wire, route),
          handler: handlers.relay(route),
          relayBody: route.body,
          ...(route.header !== undefined && { header: route.header }),
        };
      const shared = { ...described, method: 'POST', wire, handler: handlers[purpose] } as const;
      return purpose === 'count' ? { ...shared, responses: countTokensResponses(wire) } : shared;
    }),
  );
}

/** Finds the route of a path, the one of the method if the path has several; undefined outside the data plane. */
export type DataPlaneRouter = (
  path: string,
  method: string,
  headers?: HeaderList,
) => Pick<DataPlaneRoute, 'wire' | 'handler' | 'path' | 'method'> | undefined;

/** Matches paths exactly or, for paths with a wildcard, by beginning and end. A route with a header comes before others of its path. */
export function createDataPlaneRouter(all: readonly DataPlaneRoute[]): DataPlaneRouter {
  const routes = all.toSorted(
    (one, other) => Number(one.header === undefined) - Number(other.header === undefined),
  );
  // For so few routes, comparing strings is faster than a lookup that hashes the path.
  const exact = routes.filter(({ path }) => !path.includes('*'));
  const open = routes
    .filter(({ path }) => path.includes('*'))
    .map((route) => {
      const [start = '', end = ''] = route.path.split('*');
      return { start, end, route };
    });
  const isMeant = ({ header }: DataPlaneRoute, headers: HeaderList) =>
    header === undefined || headerOf(headers, header) !== undefined;
  return (requestPath, method, headers = []) => {
    const path = requestPath.endsWith('/') ? requestPath.slice(0, -1) : requestPath;
    let otherMethod: DataPlaneRoute | undefined;
    for (const route of exact) {
      if (route.path !== path || !isMeant(route, headers)) continue;
      if (route.method === method) return route;
      otherMethod ??= route;
    }
    if (otherMethod !== undefined) return otherMethod;
    for (const { start, end, route } of open) {
      if (!path.startsWith(start) || !path.endsWith(end) || !isMeant(route, headers)) continue;
      if (route.method === method) return route;
      otherMethod ??= route;
    }
    return otherMethod;
  };
}
