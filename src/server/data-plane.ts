import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import type { WireFormat, WireRoute } from '../kernel/wire-format.ts';
import type { InferenceRoute } from './api/route.ts';
import { countTokensResponses } from './count-tokens.ts';
import type { RequestContext } from './respond.ts';

/** Answers on the raw request and response. */
interface DataPlaneHandler {
  handle(
    req: HttpRequest,
    res: HttpResponse,
    requestContext: RequestContext,
    wire: WireFormat,
  ): Promise<void>;
}

/** A route of the data plane, with what answers there. */
export interface DataPlaneRoute extends InferenceRoute {
  readonly handler: DataPlaneHandler;
}

/** The routes of all formats: where their calls are made, and where the tokens of calls are counted. */
export function createDataPlaneRoutes(
  formats: readonly WireFormat[],
  serving: Readonly<Record<WireRoute['purpose'], DataPlaneHandler>>,
): readonly DataPlaneRoute[] {
  return formats.flatMap((wire) =>
    wire.routes.map(({ path, summary, purpose }): DataPlaneRoute => {
      const described = { kind: 'inference', method: 'POST', tag: 'Inference', path, summary } as const;
      const route: DataPlaneRoute = { ...described, wire, handler: serving[purpose] };
      return purpose === 'count' ? { ...route, responses: countTokensResponses(wire) } : route;
    }),
  );
}

/** Finds who answers on a path; undefined where that is none of the data plane's. */
export type DataPlaneRouter = (path: string) => Pick<DataPlaneRoute, 'wire' | 'handler' | 'path'> | undefined;

/** Each path is itself, or, where a format reads a part of it by itself, how others begin and end. */
export function createDataPlaneRouter(routes: readonly DataPlaneRoute[]): DataPlaneRouter {
  // They are few: comparing takes less than looking a path up that was just read.
  const exact = routes.filter(({ path }) => !path.includes('*'));
  const open = routes
    .filter(({ path }) => path.includes('*'))
    .map((route) => {
      const [start = '', end = ''] = route.path.split('*');
      return { start, end, route };
    });
  return (asked) => {
    const path = asked.endsWith('/') ? asked.slice(0, -1) : asked;
    for (const route of exact) if (route.path === path) return route;
    return open.find(({ start, end }) => path.startsWith(start) && path.endsWith(end))?.route;
  };
}
