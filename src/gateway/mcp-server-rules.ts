import { AllowList } from '../egress/allow-list.ts';
import { GatewayError } from '../kernel/errors.ts';
import { checkServerName } from '../mcp/servers/server-name.ts';
import type { McpServerSettings } from '../mcp/servers/server-settings.ts';
import { readServer } from '../mcp/servers/stored-server.ts';
import { publicAddressFault } from '../providers/own/own-provider-settings.ts';
import { mcpPurpose } from './parts/egress.ts';
import type { Settings } from './settings.ts';

/** Why an account can't have this MCP server; undefined if it can. */
export function mcpServerRefusal(
  { mode, isAirgapped, egressAllow }: Settings,
  { url, command, openapi }: McpServerSettings,
): string | undefined {
  if (isAirgapped)
    return 'WEIR_AIRGAP is on: only MCP servers of the operator are used, from WEIR_MCP_SERVERS';
  if (mode === 'local') return undefined;
  if (command !== undefined)
    return 'accounts can’t start programs on this gateway; its operator can list them in WEIR_MCP_SERVERS';
  const address = url ?? openapi?.base_url;
  if (address === undefined) return undefined;
  const isAllowed = new AllowList(egressAllow).allowsByName(mcpPurpose, new URL(address).origin);
  const fault = isAllowed ? undefined : publicAddressFault(address);
  return fault === undefined ? undefined : `the address of an MCP server ${fault}`;
}

/** Rejects a server in a file of another instance that this one would not store. */
export function checkImportedServer(settings: Settings, name: string, content: unknown): void {
  checkServerName(name);
  const stored = readServer(content);
  if (stored === undefined) throw new GatewayError('invalid_request', 'its settings can’t be read');
  const refusal = mcpServerRefusal(settings, stored.settings);
  if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
}
