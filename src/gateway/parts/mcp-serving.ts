import type { ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import type { AccountConfigurations } from '../../calls/account-configurations.ts';
import type { AllowList } from '../../egress/allow-list.ts';
import type { Egress } from '../../egress/egress.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { CacheBackend } from '../../kernel/ports/scoped-cache.ts';
import type { McpServer } from '../../mcp/servers/mcp-server.ts';
import { McpServers } from '../../mcp/servers/mcp-servers.ts';
import { ServerHealths } from '../../mcp/servers/server-health.ts';
import { CallMailbox, mailScope } from '../../mcp/upstream/call-mailbox.ts';
import { limits } from '../../mcp/upstream/limits.ts';
import { createOpenConnection } from '../../mcp/upstream/open-connection.ts';
import { ServerConnections } from '../../mcp/upstream/server-connections.ts';
import type { Log } from '../../telemetry/log.ts';
import { mcpServerRefusal } from '../mcp-server-rules.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';
import { mcpPurpose } from './egress.ts';
import type { Stores } from './stores.ts';

interface McpServingParts {
  readonly settings: Settings;
  readonly log: Log;
  /** The `via` value that marks requests through this gateway. */
  readonly via: string;
  readonly stores: Stores;
  readonly vault: ProviderKeyVault;
  readonly configurations: AccountConfigurations;
  readonly egress: Egress;
  readonly allowList: AllowList;
  /** Shared by all processes; undefined where there is one. */
  readonly calls: CacheBackend | undefined;
}

/** MCP servers and the connections to them. */
export interface McpServing {
  readonly servers: McpServers;
  readonly connections: ServerConnections;
  readonly health: ServerHealths;
  /** For the descriptions of APIs, whose addresses accounts choose. */
  readonly fetch: EgressFetch;
}

export function createMcpServing(parts: McpServingParts): McpServing {
  const { settings, log, via, stores, vault, configurations, egress, allowList } = parts;
  const isCloud = settings.mode === 'cloud';
  const servers = new McpServers({
    table: stores.database.configurations,
    configurations,
    vault,
    grants: stores.database.mcpGrants,
    versions: stores.shared.versions,
    clock: stores.clock,
    instance: settings.mcpServers,
    refusal: (server) => mcpServerRefusal(settings, server),
  });
  const origins = settings.mcpServers.origins();
  const headers = { 'user-agent': `weir/${version}`, via };
  const common = { purpose: mcpPurpose, headers, silenceMs: limits.requestMsMax };
  const ofInstance = egress.openFetch({
    ...common,
    reachOf: (origin) => (origins.has(origin) ? 'any' : undefined),
    isListed: true,
  });
  const ofAccounts = egress.openFetch({
    ...common,
    reachOf: (origin) => (allowList.allowsByName(mcpPurpose, origin) ? 'any' : 'public'),
    isOwn: isCloud,
  });
  const health = new ServerHealths();
  const { calls } = parts;
  const open = createOpenConnection({
    mailboxFor: (accountId, connection) =>
      calls && new CallMailbox(calls.cacheFor(mailScope(accountId)), connection),
    identity: { name: 'weir', title: 'Weir', version },
    fetchFor: ({ accountId }) => (accountId === undefined ? ofInstance : ofAccounts),
    secretsOf: (server) => servers.secretsOf(server),
    programRefusal: (server) => programRefusal(settings, server),
    showsOutput: !isCloud,
    onErrorLine: ({ name }, line) =>
      log.info({ mcpServer: name, line }, 'an MCP server wrote to its error output'),
  });
  return {
    servers,
    connections: new ServerConnections({ open, health, clock: stores.clock }),
    health,
    fetch: ofAccounts,
  };
}

function programRefusal({ mode, isAirgapped }: Settings, { name, accountId }: McpServer): string | undefined {
  if (isAirgapped)
    return `WEIR_AIRGAP is on: the program of the MCP server "${name}" is not started, since it could connect to anything`;
  return mode === 'local' || accountId === undefined
    ? undefined
    : `this gateway does not start programs of accounts ("${name}")`;
}
