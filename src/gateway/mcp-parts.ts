import type { Audit } from '../audit/audit.ts';
import type { CallReceipts } from '../calls/call-receipts.ts';
import type { AllowList } from '../egress/allow-list.ts';
import type { Egress } from '../egress/egress.ts';
import type { McpToolsFinder } from '../kernel/ports/mcp.ts';
import type { CacheBackend } from '../kernel/ports/scoped-cache.ts';
import type { Log } from '../telemetry/log.ts';
import type { LogSink } from '../telemetry/log-sinks/log-sink.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';
import type { IdentityPart, PublicAddress } from './parts/identity.ts';
import { mcpPart } from './parts/mcp.ts';
import { mcpAuthorizationPart } from './parts/mcp-authorization.ts';
import { mcpCatalogPart } from './parts/mcp-catalog.ts';
import { mcpEndpointPart } from './parts/mcp-endpoint.ts';
import type { McpServing } from './parts/mcp-serving.ts';
import type { OtlpPart } from './parts/otlp.ts';
import type { Stores } from './parts/stores.ts';
import type { RootSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import type { StartedParts } from './started-parts.ts';

interface McpParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
  readonly egress: Egress;
  readonly allowList: AllowList;
  readonly audit: Audit;
  readonly identity: IdentityPart;
  readonly address: PublicAddress;
  readonly metrics: Metrics;
  readonly requests: RequestRecorder;
  readonly sinks: readonly LogSink[];
  readonly serving: McpServing;
  readonly receipts: CallReceipts;
  readonly cacheBackend: CacheBackend;
  readonly otlp: OtlpPart;
}

/** Everything about MCP servers: their definitions, authorizations, catalogue and endpoint. Returns their tools for modules. */
export function addMcpParts(started: StartedParts, parts: McpParts): McpToolsFinder['toolsFor'] {
  const { serving } = parts;
  started.add(mcpPart(parts));
  const authorization = started.add(mcpAuthorizationPart({ ...parts, servers: serving.servers }));
  const { catalog, tools } = started.add(mcpCatalogPart({ ...parts, ...serving, ...authorization }));
  started.add(mcpEndpointPart({ ...parts, ...authorization, catalog }));
  return (call) => tools.toolsFor(call);
}
