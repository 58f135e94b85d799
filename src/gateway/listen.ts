import { dataPlaneOf } from '../server/data-plane.ts';
import { createFront } from '../server/front.ts';
import { type AdmissionRules, HostNames, loopbackHosts } from '../server/gatekeeper.ts';
import { Listener } from '../server/listener.ts';
import type { AccessChecks } from '../server/own/access.ts';
import { createApp, type Pages } from '../server/own/app.ts';
import { openapiRoute } from '../server/own/openapi.ts';
import type { Log } from '../telemetry/log.ts';
import type { PartRoute } from './part.ts';
import type { Settings } from './settings.ts';

interface ListenParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly via: string;
  readonly access: AccessChecks;
  /** Of all parts. */
  readonly routes: readonly PartRoute[];
  readonly isDraining: () => boolean;
  readonly pages: Pages | undefined;
}

/** The front of the gateway, where everything that it serves comes in. */
export function listen(parts: ListenParts): Promise<Listener> {
  const { settings, log, via, access, routes, isDraining, pages } = parts;
  const served = routes.filter((route) => route.kind === 'inference');
  const server = createFront({
    rules: admissionRules(settings, via),
    trustedProxies: settings.trustedProxies,
    dataPlane: dataPlaneOf(served),
    app: createApp([...routes, openapiRoute(routes)], { access, log, pages }),
    isDraining,
  });
  return Listener.open(server, settings);
}

/** Local users are guarded against web pages; a cloud gateway answers to any name and asks everybody for a key. */
function admissionRules({ mode, allowedHosts, corsOrigins }: Settings, via: string): AdmissionRules {
  const isLocal = mode === 'local';
  const hosts = new Set([...(isLocal ? loopbackHosts : []), ...allowedHosts]);
  return {
    hosts: hosts.size === 0 ? undefined : hosts,
    names: new HostNames(),
    origins: new Set(corsOrigins),
    guardOrigin: isLocal,
    via,
  };
}
