import type { Audit } from '../audit/audit.ts';
import type { RequestHandlers } from '../http/server.ts';
import type { LegalHolds } from '../kernel/ports/legal-holds.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccessChecks } from '../server/api/access.ts';
import { createApp, type Pages, webSocketPaths } from '../server/api/app.ts';
import { openapiRoute } from '../server/api/openapi.ts';
import { createDataPlaneRouter } from '../server/data-plane.ts';
import { createRequestHandlers } from '../server/gateway-server.ts';
import { HostNameCache, loopbackHosts, type RequestGuardRules } from '../server/request-guard.ts';
import { WebSockets } from '../server/web-sockets.ts';
import type { Log } from '../telemetry/log.ts';
import type { Refusals } from '../telemetry/refusals.ts';
import type { PartRoute } from './part.ts';
import type { Settings } from './settings.ts';

interface ListenParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly via: string;
  readonly clock: Clock;
  readonly refusals: Refusals;
  readonly audit: Audit;
  readonly holds: LegalHolds;
  readonly access: AccessChecks;
  /** The routes of all parts. */
  readonly routes: readonly PartRoute[];
  readonly isDraining: () => boolean;
  readonly pages: Pages | undefined;
}

/** What serves requests with one set of settings. */
export interface RequestServing {
  readonly handlers: RequestHandlers;
  readonly webSockets: WebSockets;
  /** Requests without a complete response, and open WebSockets. */
  openRequests(): number;
}

export function createRequestServing(parts: ListenParts): RequestServing {
  const { settings, log, via, clock, refusals, audit, holds, access, routes, isDraining, pages } = parts;
  const served = routes.filter((route) => route.kind === 'inference');
  const webSockets = new WebSockets();
  const handlers = createRequestHandlers({
    guardRules: requestGuardRules(settings, via),
    trustedProxies: settings.trustedProxies,
    dataPlane: createDataPlaneRouter(served),
    app: createApp([...routes, openapiRoute(routes)], { access, log, audit, holds, pages, webSockets }),
    mayUpgrade: webSocketPaths(routes),
    isDraining,
    clock,
    onRefused: (refusal, facts) => refusals.record(refusal, facts),
  });
  let open = 0;
  return {
    webSockets,
    openRequests: () => open + webSockets.size,
    handlers: {
      ...handlers,
      serve(request, response) {
        open++;
        response.onClose(() => open--);
        handlers.serve(request, response);
      },
    },
  };
}

/** Local mode rejects other hosts and foreign pages; cloud mode accepts any host, since every call needs a key. */
function requestGuardRules({ mode, allowedHosts, corsOrigins }: Settings, via: string): RequestGuardRules {
  const isLocal = mode === 'local';
  const hosts = new Set([...(isLocal ? loopbackHosts : []), ...allowedHosts]);
  return {
    hosts: hosts.size === 0 ? undefined : hosts,
    hostNames: new HostNameCache(),
    origins: new Set(corsOrigins),
    rejectsCrossSite: isLocal,
    via,
  };
}
