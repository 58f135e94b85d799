import { GatewayError } from '../../kernel/errors.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { ListName, RequestOptions, ServerDescription } from '../upstream/server-connection.ts';
import type { McpCatalog } from './catalog.ts';
import type { CatalogItem } from './catalog-item.ts';
import { ItemAccess } from './item-access.ts';
import { listenToChanges, type ViewListening } from './listen-to-changes.ts';
import { mapUris } from './map-uris.ts';
import { mergedNaming, type Naming, ownNaming } from './names.ts';
import type { ServerCatalog } from './server-catalog.ts';
import { type CallOrigin, type FoundItem, ToolCaller, type ToolCallOptions } from './tool-caller.ts';

export interface ViewOptions {
  /** Only this server, with its own names. */
  readonly only?: string | undefined;
  readonly origin?: CallOrigin;
}

interface ViewItem {
  readonly server: string;
  readonly item: CatalogItem;
  readonly personId: string | null;
}

export interface MergedList {
  /** In the order of their names. */
  readonly items: readonly ViewItem[];
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
  /** Servers that could not be asked: their items are those of the last good list, or missing. */
  readonly unavailable: readonly string[];
}

/** The MCP servers that a caller may use, as one server. It belongs to one request. */
export class CatalogView {
  readonly #catalog: McpCatalog;
  readonly #caller: McpCaller;
  readonly #only: string | undefined;
  readonly #naming: Naming;
  readonly #access: ItemAccess;
  readonly #toolCaller: ToolCaller;
  #servers: Promise<readonly McpServer[]> | undefined;

  constructor(catalog: McpCatalog, caller: McpCaller, { only, origin = {} }: ViewOptions) {
    this.#catalog = catalog;
    this.#caller = caller;
    this.#only = only;
    this.#naming = only === undefined ? mergedNaming : ownNaming(only);
    const { access, onToolCall } = catalog.parts;
    this.#access = new ItemAccess(access, caller);
    this.#toolCaller = new ToolCaller({
      ...{ caller, origin, onToolCall },
      find: (name) => this.find('tools', name),
    });
  }

  /** Rejects if the one server of this view does not exist for the caller. */
  async servers(): Promise<readonly McpServer[]> {
    this.#servers ??= this.#catalog.serversOf(this.#caller);
    const all = await this.#servers;
    if (this.#only === undefined) return all;
    const one = all.filter(({ name }) => name === this.#only);
    if (one.length === 0) throw new GatewayError('not_found', `there is no MCP server "${this.#only}"`);
    return one;
  }

  /** All items that the caller may use, of all servers or of these. A server that does not answer delays nothing. */
  async list(list: ListName, of?: readonly string[]): Promise<MergedList> {
    const servers = (await this.servers()).filter(({ name }) => of === undefined || of.includes(name));
    const states = await Promise.all(
      servers.map(async (server) => {
        const credential = await this.#usableCredential(server);
        if (credential === undefined) return { server, state: undefined, personId: null };
        const catalog = this.#catalogOf(server);
        const state = await catalog.list(list);
        if (!state.isAway) this.#catalog.watch(catalog);
        return { server, state, personId: credential.personId };
      }),
    );
    const isPublic =
      this.#catalog.parts.hasOneAccount && states.every(({ state }) => state?.isPublic !== false);
    return {
      items: states.flatMap(({ server, state, personId }) =>
        state === undefined
          ? []
          : this.#access.filter(list, server, state.items).map((item) => ({
              server: server.name,
              item,
              personId,
            })),
      ),
      ttlMs: Math.min(...states.map(({ state }) => state?.ttlMs ?? 0)),
      cacheScope: isPublic ? 'public' : 'private',
      unavailable: states.filter(({ state }) => state?.isAway !== false).map(({ server }) => server.name),
    };
  }

  /** The tool or prompt of this name; rejects if there is none for the caller. */
  async find(list: 'tools' | 'prompts', name: string): Promise<FoundItem> {
    const serverName = this.#naming.serverOf(name);
    const server = (await this.servers()).find((one) => one.name === serverName);
    if (server === undefined) throw noSuchItem(list, name);
    await this.#requireAuthorization(server);
    const catalog = this.#catalogOf(server);
    let state = await catalog.list(list);
    // Another replica may have a newer list.
    if (this.#access.find(server, state.items, name) === undefined) state = await catalog.renew(list);
    const item = this.#access.find(server, state.items, name);
    if (item !== undefined) return { server, catalog, item };
    throw state.isAway ? unavailable(server.name) : noSuchItem(list, name);
  }

  async callTool(parameters: JsonObject, options: ToolCallOptions): Promise<JsonObject> {
    const { server, result } = await this.#toolCaller.call(textOf(parameters, 'name'), parameters, options);
    return this.#shown(server.name, result);
  }

  async getPrompt(parameters: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { server, catalog, item } = await this.find('prompts', textOf(parameters, 'name'));
    const sent = { ...parameters, name: item.ownName };
    return this.#shown(server.name, await catalog.request('prompts/get', sent, options));
  }

  async readResource(parameters: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { server, ownUri } = await this.#resource(textOf(parameters, 'uri'));
    const result = await this.#catalogOf(server).request(
      'resources/read',
      { ...parameters, uri: ownUri },
      options,
    );
    return this.#shown(server.name, result);
  }

  async complete(parameters: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { ref } = parameters;
    if (!isJsonObject(ref)) throw new GatewayError('invalid_request', 'params.ref must be an object');
    if (ref.type === 'ref/prompt') {
      const { catalog, item } = await this.find('prompts', textOf(ref, 'name'));
      const sent = { ...parameters, ref: { ...ref, name: item.ownName } };
      return catalog.request('completion/complete', sent, options);
    }
    const { server, ownUri } = await this.#resource(textOf(ref, 'uri'));
    const sent = { ...parameters, ref: { ...ref, uri: ownUri } };
    return this.#catalogOf(server).request('completion/complete', sent, options);
  }

  /** What the only server of this view says of itself. */
  async describe(options: RequestOptions): Promise<ServerDescription | undefined> {
    if (this.#only === undefined) return undefined;
    const [server] = await this.servers();
    return server === undefined ? undefined : this.#catalogOf(server).describe(options);
  }

  /** Changes of lists and of these resources, with the addresses that the gateway gave them, until the signal aborts. */
  listen(listening: ViewListening): Promise<void> {
    return listenToChanges(listening, {
      find: async () => {
        this.#servers = undefined;
        const servers = await this.servers();
        return servers.map((server) => ({ server, catalog: this.#catalogOf(server) }));
      },
      watch: (catalog) => this.#catalog.watch(catalog),
      naming: this.#naming,
    });
  }

  /** Whether the caller may read the resources of this address. */
  async mayRead(uri: string): Promise<boolean> {
    try {
      await this.#resource(uri);
      return true;
    } catch (thrown) {
      if (GatewayError.is(thrown)) return false;
      throw thrown;
    }
  }

  /** Addresses say their server. Texts of results may quote others, which lead to the only server that lists them. */
  async #resource(uri: string): Promise<{ readonly server: McpServer; readonly ownUri: string }> {
    const serverName = this.#naming.serverOf(uri);
    const readable = (await this.servers()).filter((server) => this.#access.mayReadAll(server));
    const named = readable.find(({ name }) => name === serverName);
    if (named !== undefined && uri.startsWith(this.#naming.uriOf(named.name, '')))
      return { server: named, ownUri: this.#naming.ownUri(named.name, uri) };
    const listed = await Promise.all(
      readable.map(async (server) => {
        const { items } = await this.#catalogOf(server).list('resources');
        return items.has(this.#naming.uriOf(server.name, uri)) ? [server] : [];
      }),
    );
    const [only, ...others] = listed.flat();
    if (only !== undefined && others.length === 0) return { server: only, ownUri: uri };
    throw noSuchItem('resources', uri);
  }

  #catalogOf(server: McpServer): ServerCatalog {
    return this.#catalog.catalogOf(this.#caller, server, this.#only !== undefined);
  }

  /** Undefined if the server can't be asked for this caller. */
  async #usableCredential(server: McpServer): Promise<{ readonly personId: string | null } | undefined> {
    try {
      return { personId: await this.#requireAuthorization(server) };
    } catch (thrown) {
      if (GatewayError.is(thrown)) return undefined;
      throw thrown;
    }
  }

  /** Resolves to the person who has authorized the gateway, if the server needs that; a list in memory does not outlive it. */
  async #requireAuthorization(server: McpServer): Promise<string | null> {
    const credential = this.#catalog.parts.credentialOf(this.#caller, server);
    if (credential.kind !== 'person') return null;
    await credential.accessToken();
    return credential.personId;
  }

  #shown(server: string, result: JsonObject): JsonObject {
    return mapUris(result, (uri) => this.#naming.uriOf(server, uri));
  }
}

function textOf(fields: JsonObject, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new GatewayError('invalid_request', `params.${name} must be a string`);
}

const nouns = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'template',
} as const;

/** What a caller may not use does not exist for it. */
function noSuchItem(list: ListName, name: string): GatewayError {
  return new GatewayError('not_found', `there is no ${nouns[list]} ${JSON.stringify(name.slice(0, 200))}`);
}

function unavailable(server: string): GatewayError {
  return new GatewayError('upstream_unreachable', `the MCP server "${server}" does not answer`, {
    retryAfterSeconds: 1,
  });
}
