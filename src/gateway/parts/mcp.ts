import { limits } from '../../mcp/servers/limits.ts';
import type { ServerHealth } from '../../mcp/servers/server-health.ts';
import { mcpServerRoutes } from '../../server/api/routes/mcp-servers.ts';
import { mcpServersCheck } from '../checks/mcp-servers.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { McpServing } from './mcp-serving.ts';
import type { Stores } from './stores.ts';

interface McpPartParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly serving: McpServing;
}

/** MCP servers: their definitions, connections and health. */
export function mcpPart({ settings, stores, serving }: McpPartParts): Part {
  const { connections, health } = serving;
  // Only servers of the operator are in labels: accounts must not choose them.
  const perServer = (name: string, help: string, count: (one: ServerHealth) => number) => ({
    name,
    help,
    read: () =>
      health
        .instance()
        .slice(0, limits.seriesMax)
        .map((entry) => ({ labels: { server: entry.server.name }, value: count(entry.health) })),
  });
  return {
    routes: mcpServerRoutes({
      ...serving,
      instance: settings.mcpServers,
      attempts: stores.shared.rateLimiter,
      hasPrograms: settings.mode === 'local' && !settings.isAirgapped,
    }),
    gauges: [
      { name: 'weir_mcp_connections', help: 'Connections to MCP servers', read: () => connections.size },
      perServer(
        'weir_mcp_server_up',
        'Whether the last request to an MCP server of the operator succeeded',
        (one) => (one.isFailing ? 0 : 1),
      ),
      perServer('weir_mcp_server_tools', 'Tools of an MCP server of the operator', (one) => one.tools ?? 0),
      perServer(
        'weir_mcp_server_requests_total',
        'Requests to an MCP server of the operator',
        (one) => one.requests,
      ),
      perServer(
        'weir_mcp_server_failures_total',
        'Requests to an MCP server of the operator that failed',
        (one) => one.failures,
      ),
    ],
    checks: [mcpServersCheck(settings.mcpServers, health)],
    features: ['mcp-servers'],
    close: () => connections.close(),
  };
}
