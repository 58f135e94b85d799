import type { JsonObject } from '../../lib/json.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { ListName } from '../upstream/server-connection.ts';
import { limits } from './limits.ts';
import type { Naming } from './names.ts';
import { changeMethods, listNames, type ServerCatalog } from './server-catalog.ts';

export interface ViewListening {
  readonly lists: readonly ListName[];
  /** Addresses at the gateway. */
  readonly resources: readonly string[];
  readonly signal: AbortSignal;
  onNotification(notification: JsonObject): void;
}

interface ListeningParts {
  /** The servers that the caller may use now. */
  find(): Promise<readonly WatchedServer[]>;
  watch(catalog: ServerCatalog): void;
  readonly naming: Naming;
}

interface WatchedServer {
  readonly server: McpServer;
  readonly catalog: ServerCatalog;
}

/** Reports changes of servers, also that servers come and go, until the signal aborts. */
export async function listenToChanges(listening: ViewListening, parts: ListeningParts): Promise<void> {
  const { lists, signal, onNotification } = listening;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  const tell = (list: ListName) => {
    if (lists.includes(list)) onNotification({ method: changeMethods[list] });
  };
  let round = new AbortController();
  let known: string | undefined;
  const follow = async () => {
    const servers = await parts.find();
    const versions = JSON.stringify(servers.map(({ server }) => [server.name, server.version]));
    if (signal.aborted || versions === known) return;
    const isFirst = known === undefined;
    known = versions;
    round.abort();
    round = new AbortController();
    for (const watched of servers) followServer(watched, { listening, parts, signal: round.signal, tell });
    if (!isFirst) for (const list of listNames) if (list !== 'resourceTemplates') tell(list);
  };
  const check = setInterval(() => void follow().catch(() => undefined), limits.serversCheckMs).unref();
  signal.addEventListener('abort', () => resolve());
  try {
    await follow();
    await aborted;
  } finally {
    clearInterval(check);
    round.abort();
  }
}

interface Following {
  readonly listening: ViewListening;
  readonly parts: ListeningParts;
  readonly signal: AbortSignal;
  tell(list: ListName): void;
}

function followServer(
  { server, catalog }: WatchedServer,
  { listening, parts, signal, tell }: Following,
): void {
  const { naming, watch } = parts;
  const stop = catalog.onChange(tell);
  signal.addEventListener('abort', stop);
  watch(catalog);
  const resources = listening.resources
    .filter((uri) => naming.serverOf(uri) === server.name)
    .map((uri) => naming.ownUri(server.name, uri));
  if (resources.length === 0) return;
  void catalog.listen(resources, signal, ({ method, params }) => {
    if (method !== 'notifications/resources/updated') return;
    const { uri, ...rest } = { uri: undefined, ...(typeof params === 'object' && params) };
    if (typeof uri === 'string')
      listening.onNotification({ method, params: { ...rest, uri: naming.uriOf(server.name, uri) } });
  });
}
