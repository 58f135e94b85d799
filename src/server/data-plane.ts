import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireFormat, WireRoute } from '../kernel/wire-format.ts';
import { countTokensAnswers } from './count-tokens.ts';
import type { InferenceRoute } from './own/route.ts';
import type { Call } from './respond.ts';

/** Answers on the raw request and response. */
interface Serving {
  handle(req: IncomingMessage, res: ServerResponse, call: Call, wire: WireFormat): Promise<void>;
}

/** What answers on a path of the data plane, and in which format. */
interface Served {
  readonly wire: WireFormat;
  readonly by: Serving;
}

/** Finds who answers on a path; undefined where that is none of the data plane's. */
export type DataPlane = (path: string) => Served | undefined;

/** The paths of all formats: each to itself, or, where a format reads the rest by itself, by how it begins. */
export function dataPlaneOf(
  formats: readonly WireFormat[],
  serving: Readonly<Record<WireRoute['purpose'], Serving>>,
): DataPlane {
  const exact = new Map<string, Served>();
  const beginnings: { readonly start: string; readonly served: Served }[] = [];
  for (const wire of formats)
    for (const { path, purpose } of wire.routes) {
      const served: Served = { wire, by: serving[purpose] };
      if (path.endsWith('*')) beginnings.push({ start: path.slice(0, -1), served });
      else exact.set(path, served);
    }
  return (asked) => {
    const path = asked.endsWith('/') ? asked.slice(0, -1) : asked;
    return exact.get(path) ?? beginnings.find(({ start }) => path.startsWith(start))?.served;
  };
}

/** The same as they are described to people. */
export function inferenceRoutes(formats: readonly WireFormat[]): readonly InferenceRoute[] {
  return formats.flatMap((wire) =>
    wire.routes.map(({ path, summary, purpose }): InferenceRoute => {
      const route: InferenceRoute = {
        kind: 'inference',
        method: 'POST',
        tag: 'Inference',
        path,
        summary,
        wire,
      };
      return purpose === 'count' ? { ...route, answers: countTokensAnswers } : route;
    }),
  );
}
