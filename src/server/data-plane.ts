import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import type { WireFormat, WireRoute } from '../kernel/wire-format.ts';
import { countTokensAnswers } from './count-tokens.ts';
import type { InferenceRoute } from './own/route.ts';
import type { Call } from './respond.ts';

/** Answers on the raw request and response. */
interface Serving {
  handle(req: HttpRequest, res: HttpResponse, call: Call, wire: WireFormat): Promise<void>;
}

/** A route of the data plane, with what answers there. */
export interface ServedRoute extends InferenceRoute {
  readonly by: Serving;
}

/** The routes of all formats: where their calls are made, and where the tokens of calls are counted. */
export function servedRoutes(
  formats: readonly WireFormat[],
  serving: Readonly<Record<WireRoute['purpose'], Serving>>,
): readonly ServedRoute[] {
  return formats.flatMap((wire) =>
    wire.routes.map(({ path, summary, purpose }): ServedRoute => {
      const described = { kind: 'inference', method: 'POST', tag: 'Inference', path, summary } as const;
      const route: ServedRoute = { ...described, wire, by: serving[purpose] };
      return purpose === 'count' ? { ...route, answers: countTokensAnswers(wire) } : route;
    }),
  );
}

/** Finds who answers on a path; undefined where that is none of the data plane's. */
export type DataPlane = (path: string) => Pick<ServedRoute, 'wire' | 'by' | 'path'> | undefined;

/** Each path is itself, or, where a format reads a part of it by itself, how others begin and end. */
export function dataPlaneOf(routes: readonly ServedRoute[]): DataPlane {
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
