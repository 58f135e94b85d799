import { Sealer } from '../../accounts/sealer.ts';
import { CallLimiter } from '../../calls/call-limiter.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { CacheBackend } from '../../kernel/ports/scoped-cache.ts';
import type { McpCallers } from '../../mcp/access/mcp-callers.ts';
import type { McpCatalog } from '../../mcp/catalog/catalog.ts';
import { McpEndpoint } from '../../mcp/front/endpoint.ts';
import { RequestStates } from '../../mcp/front/request-states.ts';
import { Sessions } from '../../mcp/front/sessions.ts';
import { mcpRoutes } from '../../server/api/routes/mcp.ts';
import { mcpResourceRoutes } from '../../server/api/routes/mcp-resource.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';
import type { IdentityPart, PublicAddress } from './identity.ts';
import type { OtlpPart } from './otlp.ts';
import type { Stores } from './stores.ts';

interface McpEndpointParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly roots: RootSecrets;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly identity: Pick<IdentityPart, 'callers'>;
  readonly address: PublicAddress;
  readonly catalog: McpCatalog;
  readonly mcpCallers: McpCallers;
  readonly receipts: CallReceipts;
  /** For sessions, in which people answer questions. */
  readonly cacheBackend: CacheBackend;
  readonly otlp: Pick<OtlpPart, 'toolCallSpans'>;
}

/** `/mcp`: all MCP servers as one. */
export function mcpEndpointPart(parts: McpEndpointParts): Part {
  const { settings, stores, roots, log, metrics, identity, catalog, mcpCallers, receipts, otlp, address } =
    parts;
  const { clock } = stores;
  const { callers } = identity;
  const [sessionKey] = roots.deriveKeys('mcp sessions');
  const endpoint = new McpEndpoint({
    catalog,
    sessions: new Sessions({ cache: parts.cacheBackend, key: sessionKey, clock }),
    states: new RequestStates(new Sealer(roots.deriveKeys('mcp request states')), clock),
    serverInfo: { name: 'weir', title: 'Weir', version },
    spans: otlp.toolCallSpans,
    onBug: (id, err) => log.error({ id, err }, 'bug'),
  });
  const limiter = new CallLimiter({
    rates: stores.shared.callRates,
    instanceLimits: settings.callLimits,
    callers,
    onRefused: (limit) => metrics.recordRateLimited(limit),
  });
  return {
    routes: [
      ...mcpResourceRoutes(address),
      ...mcpRoutes({
        endpoint,
        callers,
        mcpCallers,
        limiter,
        receipts,
        origins: new Set(settings.corsOrigins),
        address,
      }),
    ],
    features: ['mcp'],
    async drain() {
      endpoint.leave();
    },
  };
}
