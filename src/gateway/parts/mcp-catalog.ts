import type { McpCaller } from '../../kernel/ports/mcp.ts';
import { createRequestIds } from '../../kernel/request-ids.ts';
import { isAllowed, isUnrestricted, isVisible } from '../../mcp/access/is-allowed.ts';
import type { McpCallers } from '../../mcp/access/mcp-callers.ts';
import type { PersonCredentials } from '../../mcp/authorization/person-credentials.ts';
import { McpCatalog } from '../../mcp/catalog/catalog.ts';
import { ModelCallTools } from '../../mcp/catalog/model-call-tools.ts';
import { ToolCallLog } from '../../mcp/catalog/tool-call-log.ts';
import type { McpServer } from '../../mcp/servers/mcp-server.ts';
import type { McpServers } from '../../mcp/servers/mcp-servers.ts';
import type { UpstreamCredential } from '../../mcp/upstream/server-connection.ts';
import type { ServerConnections } from '../../mcp/upstream/server-connections.ts';
import { personOf } from '../../server/api/routes/mcp-person.ts';
import { mcpServerToolRoutes } from '../../server/api/routes/mcp-server-tools.ts';
import { sees } from '../../server/api/routes/mcp-servers.ts';
import type { LogSink } from '../../telemetry/log-sinks/log-sink.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestRecorder } from '../../telemetry/request-log/request-recorder.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

export interface McpCatalogPart extends Part {
  readonly catalog: McpCatalog;
  /** For modules. */
  readonly tools: ModelCallTools;
}

type PersonOfCall = Pick<McpCaller, 'accountId' | 'personId'>;

interface McpCatalogParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly metrics: Metrics;
  readonly requests: RequestRecorder;
  readonly sinks: readonly LogSink[];
  readonly servers: McpServers;
  readonly connections: ServerConnections;
  readonly mcpCallers: McpCallers;
  readonly personCredentials: PersonCredentials;
}

/** What the MCP servers offer, for the endpoint and for modules. */
export function mcpCatalogPart(parts: McpCatalogParts): McpCatalogPart {
  const { settings, stores, metrics, requests, sinks, servers, connections, mcpCallers, personCredentials } =
    parts;
  const { clock } = stores;
  const calls = new ToolCallLog({
    logs: [...(settings.requestLog.isOn ? [requests] : []), ...sinks],
    metrics,
    newId: createRequestIds(clock),
  });
  const credentialOf = (caller: PersonOfCall, server: McpServer): UpstreamCredential => {
    const { transport } = server;
    const authorization = transport.kind === 'program' ? 'none' : transport.authorization;
    if (authorization === 'person') return personCredentials.of(caller, server);
    return authorization === 'headers' ? { kind: 'shared' } : { kind: 'none' };
  };
  const catalog = new McpCatalog({
    servers,
    connections,
    access: { isAllowed, isVisible, isUnrestricted },
    credentialOf,
    onToolCall: (facts) => calls.record(facts),
    hasOneAccount: settings.mode === 'local',
    clock,
  });
  return {
    catalog,
    tools: new ModelCallTools({ catalog, callerOf: (requester) => mcpCallers.ofKey(requester) }),
    routes: mcpServerToolRoutes({
      connections,
      async serverOf(caller, name) {
        const server = (await servers.serversOf({ accountId: caller.accountId })).get(name);
        return server !== undefined && sees(caller, { server }) ? server : undefined;
      },
      credentialOf: (caller, server) =>
        credentialOf({ accountId: caller.accountId, personId: personOf(caller)?.personId }, server),
    }),
    async close() {
      catalog.close();
    },
  };
}
