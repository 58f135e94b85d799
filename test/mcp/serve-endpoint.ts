import type { TestContext } from 'node:test';
import { Sealer } from '../../src/accounts/sealer.ts';
import { localCallerIdentity } from '../../src/calls/caller-authenticator.ts';
import type { McpCaller } from '../../src/kernel/ports/mcp.ts';
import type { CacheBackend } from '../../src/kernel/ports/scoped-cache.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isAllowed, isUnrestricted, isVisible } from '../../src/mcp/access/is-allowed.ts';
import { McpCatalog } from '../../src/mcp/catalog/catalog.ts';
import type { ToolCallFacts } from '../../src/mcp/catalog/tool-caller.ts';
import { McpEndpoint } from '../../src/mcp/front/endpoint.ts';
import { RequestStates } from '../../src/mcp/front/request-states.ts';
import { Sessions } from '../../src/mcp/front/sessions.ts';
import type { McpServer } from '../../src/mcp/servers/mcp-server.ts';
import { HttpTransport } from '../../src/mcp/upstream/http-transport.ts';
import { RpcConnection } from '../../src/mcp/upstream/rpc-connection.ts';
import type { ServerConnection } from '../../src/mcp/upstream/server-connection.ts';
import { mcpRoutes } from '../../src/server/api/routes/mcp.ts';
import { MemoryCacheBackend } from '../../src/storage/memory/memory-cache-backend.ts';
import { serveRoutes } from '../support/own-routes.ts';

export interface ServedEndpoint {
  readonly url: string;
  readonly calls: readonly ToolCallFacts[];
  readonly endpoint: McpEndpoint;
}

export interface EndpointOptions {
  /** The addresses of servers by name. */
  readonly servers: Readonly<Record<string, string>>;
  /** Shared by replicas. */
  readonly cache?: CacheBackend;
  readonly caller?: Partial<McpCaller>;
  readonly changed?: Partial<McpServer>;
}

/** The MCP endpoint of a local gateway, with servers that speak HTTP. */
export async function serveEndpoint(t: TestContext, options: EndpointOptions): Promise<ServedEndpoint> {
  const { cache = new MemoryCacheBackend(systemClock), changed = {} } = options;
  const connections = new Map<string, ServerConnection>();
  const calls: ToolCallFacts[] = [];
  const servers = new Map(
    Object.entries(options.servers).map(([name, url]) => [name, { ...serverAt(name, url), ...changed }]),
  );
  const catalog = new McpCatalog({
    servers: { serversOf: async () => servers },
    connections: {
      connectionTo({ server }) {
        const known = connections.get(server.name) ?? connectTo(server);
        connections.set(server.name, known);
        return known;
      },
    },
    access: { isAllowed, isVisible, isUnrestricted },
    credentialOf: () => ({ kind: 'none' }),
    onToolCall: (facts) => void calls.push(facts),
    hasOneAccount: true,
    clock: systemClock,
  });
  const key = new Uint8Array(32).fill(7);
  const endpoint = new McpEndpoint({
    catalog,
    sessions: new Sessions({ cache, key, clock: systemClock }),
    states: new RequestStates(new Sealer([key]), systemClock),
    serverInfo: { name: 'weir', version: '1.0.0' },
    spans: undefined,
    onBug: (_id, thrown) => {
      throw thrown;
    },
  });
  t.after(async () => {
    endpoint.leave();
    catalog.close();
    for (const connection of connections.values()) await connection.close();
  });
  const caller = { ...localCaller, ...options.caller };
  const routes = mcpRoutes({
    endpoint,
    callers: { identifyCurrent: async () => localCallerIdentity },
    mcpCallers: { ofKey: async () => caller },
    limiter: { isLimited: () => false, count: async (_call, identity) => identity },
    receipts: { openFor: () => undefined },
    origins: new Set(),
    address: { url: 'http://127.0.0.1' },
  });
  const { url } = await serveRoutes(t, routes, 'own');
  return { url: `${url}/mcp`, calls, endpoint };
}

const localCaller: McpCaller = {
  accountId: 'local',
  keyId: null,
  projectId: null,
  access: undefined,
  personId: undefined,
  roles: [],
  endUser: undefined,
};

function serverAt(name: string, url: string): McpServer {
  return {
    accountId: undefined,
    name,
    version: '1',
    transport: { kind: 'http', url, authorization: 'none' },
    tools: { allow: [], deny: [] },
    access: [],
    projects: [],
    timeoutMs: 10_000,
    isEnabled: true,
  };
}

function connectTo({ name, transport, timeoutMs }: McpServer): ServerConnection {
  if (transport.kind !== 'http') throw new Error('the server has no address');
  return new RpcConnection({
    server: name,
    transport: new HttpTransport({
      server: name,
      url: transport.url,
      fetch: (url, init) => fetch(url, init),
      credential: async () => ({ headers: {}, onRejected: async () => false }),
    }),
    identity: { name: 'weir', version: '1.0.0' },
    timeoutMs,
    probeMs: 10_000,
    memory: { era: undefined },
    mailbox: undefined,
  });
}
