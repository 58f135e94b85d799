import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { McpServers } from '../servers/mcp-servers.ts';
import type { UpstreamCredential } from '../upstream/server-connection.ts';
import type { ServerConnections } from '../upstream/server-connections.ts';
import { CatalogView, type ViewOptions } from './catalog-view.ts';
import type { CatalogAccess } from './item-access.ts';
import { limits } from './limits.ts';
import { mergedNaming, ownNaming } from './names.ts';
import { ServerCatalog } from './server-catalog.ts';
import type { ToolCallFacts } from './tool-caller.ts';

export interface CatalogParts {
  readonly servers: Pick<McpServers, 'serversOf'>;
  readonly connections: Pick<ServerConnections, 'connectionTo'>;
  readonly access: CatalogAccess;
  /** With what requests of a caller go to a server; throws if it has to authorize the gateway first. */
  credentialOf(caller: McpCaller, server: McpServer): UpstreamCredential;
  /** Called at the end of every tool call. */
  onToolCall(facts: ToolCallFacts): void;
  /** Whether all callers see the same servers, so that others may keep public lists for them. */
  readonly hasOneAccount: boolean;
  readonly clock: Clock;
}

/** What the MCP servers of all accounts offer. */
export class McpCatalog {
  readonly parts: CatalogParts;
  readonly #catalogs = new Lru<ServerCatalog>(limits.listsMax / 4);
  readonly #watched = new Set<ServerCatalog>();

  constructor(parts: CatalogParts) {
    this.parts = parts;
  }

  /** The servers that a caller may use, as one server. */
  viewFor(caller: McpCaller, options: ViewOptions = {}): CatalogView {
    return new CatalogView(this, caller, options);
  }

  /** In the order of their tools' names. */
  async serversOf(caller: McpCaller): Promise<readonly McpServer[]> {
    const { servers, access } = this.parts;
    const all = await servers.serversOf({ accountId: caller.accountId });
    const order = ({ name }: McpServer) => `${name}__`;
    return [...all.values()]
      .filter((server) => access.isVisible(caller, server))
      .sort((one, other) => (order(one) < order(other) ? -1 : 1));
  }

  /** The lists of a server, shared by callers with the same authorization there, and by no others. */
  catalogOf(caller: McpCaller, server: McpServer, keepsNames: boolean): ServerCatalog {
    const { connections, clock } = this.parts;
    const credential = this.parts.credentialOf(caller, server);
    const key = JSON.stringify([
      caller.accountId,
      server.accountId ?? null,
      server.name,
      server.version,
      credential.kind === 'person' ? credential.personId : null,
      keepsNames,
    ]);
    const known = this.#catalogs.get(key);
    if (known !== undefined) return known;
    const { accountId } = caller;
    const catalog = new ServerCatalog({
      server: server.name,
      naming: keepsNames ? ownNaming(server.name) : mergedNaming,
      clock,
      connection: () => connections.connectionTo({ server, accountId, credential }),
    });
    this.#catalogs.set(key, catalog);
    return catalog;
  }

  /** Follows the changes of a server, if there is room for one more stream. */
  watch(catalog: ServerCatalog): void {
    if (catalog.isWatched) return;
    for (const watched of this.#watched) if (!watched.isWatched) this.#watched.delete(watched);
    if (this.#watched.size >= limits.watchesMax) return;
    this.#watched.add(catalog);
    catalog.watch();
  }

  close(): void {
    for (const catalog of this.#watched) catalog.close();
  }
}
