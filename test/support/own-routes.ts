import type { TestContext } from 'node:test';
import type { HttpImplementation } from '../../src/http/server.ts';
import { createLocalAccess } from '../../src/server/api/access.ts';
import { createApp, webSocketPaths } from '../../src/server/api/app.ts';
import type { Route } from '../../src/server/api/route.ts';
import { SessionCookies } from '../../src/server/api/session-cookie.ts';
import { WebSockets } from '../../src/server/web-sockets.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startHttp } from './http-server.ts';

/** Routes without a gateway, as a local instance serves them. */
export interface ServedRoutes {
  readonly url: string;
  readonly webSockets: WebSockets;
  readonly logLines: readonly string[];
}

export async function serveRoutes(
  t: TestContext,
  routes: readonly Route[],
  implementation: HttpImplementation,
): Promise<ServedRoutes> {
  const logLines: string[] = [];
  const log = createLog('debug', { write: (line) => void logLines.push(line) });
  const access = createLocalAccess({
    authenticate: () => undefined,
    localToken: undefined,
    cookies: new SessionCookies({ url: '' }),
  });
  const webSockets = new WebSockets();
  const app = createApp(routes, { access, log, webSockets });
  const mayUpgrade = webSocketPaths(routes);
  const url = await startHttp(
    t,
    (req, res) => {
      const [path = '', query = ''] = req.target.split('?');
      void app(req, res, { id: 'req_1', path, query, cors: [], clientAddress: '127.0.0.1' });
    },
    { implementation, ...(mayUpgrade !== undefined && { mayUpgrade }) },
  );
  return { url, logLines, webSockets };
}
