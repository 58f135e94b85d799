import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import type { WireFormat, WireRoute } from '../kernel/wire-format.ts';
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

/** A route of the data plane with its handler. */
export interface DataPlaneRoute extends InferenceRoute {
  readonly handler: DataPlaneHandler;
}

/** The call and token count routes of all wire formats. */
export function createDataPlaneRoutes(
  formats: readonly WireFormat[],
  handlers: Readonly<Record<WireRoute['purpose'], DataPlaneHandler>>,
): readonly DataPlaneRoute[] {
  return formats.flatMap((wire) =>
    wire.routes.map(({ path, summary, purpose }): DataPlaneRoute => {
      const described = { kind: 'inference', method: 'POST', tag: 'Inference', path, summary } as const;
      const route: DataPlaneRoute = { ...described, wire, handler: handlers[purpose] };
      return purpose === 'count' ? { ...route, responses: countTokensResponses(wire) } : route;
    }),
  );
}

/** Finds the route of a path; undefined if it is outside the data plane. */
export type DataPlaneRouter = (path: string) => Pick<DataPlaneRoute, 'wire' | 'handler' | 'path'> | undefined;

/** Matches paths exactly or, for paths with a wildcard, by beginning and end. */
export function createDataPlaneRouter(routes: readonly DataPlaneRoute[]): DataPlaneRouter {
  // For so few routes, comparing strings is faster than a lookup that hashes the path.
  const exact = routes.filter(({ path }) => !path.includes('*'));
  const open = routes
    .filter(({ path }) => path.includes('*'))
    .map((route) => {
      const [start = '', end = ''] = route.path.split('*');
      return { start, end, route };
    });
  return (requestPath) => {
    const path = requestPath.endsWith('/') ? requestPath.slice(0, -1) : requestPath;
    for (const route of exact) if (route.path === path) return route;
    return open.find(({ start, end }) => path.startsWith(start) && path.endsWith(end))?.route;
  };
}
