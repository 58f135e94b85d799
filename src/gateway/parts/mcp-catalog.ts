import { createRequestIds } from '../../kernel/request-ids.ts';
import { isAllowed, isUnrestricted, isVisible } from '../../mcp/access/is-allowed.ts';
import type { McpCallers } from '../../mcp/access/mcp-callers.ts';
import type { PersonCredentials } from '../../mcp/authorization/person-credentials.ts';
import { McpCatalog } from '../../mcp/catalog/catalog.ts';
import { ModelCallTools } from '../../mcp/catalog/model-call-tools.ts';
import { ToolCallLog } from '../../mcp/catalog/tool-call-log.ts';
import type { McpServers } from '../../mcp/servers/mcp-servers.ts';
import type { ServerConnections } from '../../mcp/upstream/server-connections.ts';
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
  const catalog = new McpCatalog({
    servers,
    connections,
    access: { isAllowed, isVisible, isUnrestricted },
    credentialOf(caller, server) {
      const { transport } = server;
      const authorization = transport.kind === 'program' ? 'none' : transport.authorization;
      if (authorization === 'person') return personCredentials.of(caller, server);
      return authorization === 'headers' ? { kind: 'shared' } : { kind: 'none' };
    },
    onToolCall: (facts) => calls.record(facts),
    hasOneAccount: settings.mode === 'local',
    clock,
  });
  return {
    catalog,
    tools: new ModelCallTools({ catalog, callerOf: (requester) => mcpCallers.ofKey(requester) }),
    async close() {
      catalog.close();
    },
  };
}
