import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { McpServer } from './mcp-server.ts';
import { serverNamePattern, serverNameRule } from './server-name.ts';
import {
  type McpServerSettings,
  mcpServerFields,
  mcpServerSettings,
  serverHeaderFault,
  variableFault,
} from './server-settings.ts';
import { toServer } from './stored-server.ts';

const secrets = z.record(z.string(), z.string());
const secretFields = {
  headers: secrets.optional().describe('Headers of every request to it'),
  env: secrets.optional().describe('Variables of the program'),
};

/** One server in `mcp_servers`. Descriptions of APIs are in its `openapi.document`. */
const instanceServer = z.strictObject({ ...mcpServerFields, ...secretFields });

/** The setting, for the schema of the file. */
export const instanceServersDocument = z.record(z.string(), instanceServer);

interface InstanceServer {
  readonly settings: McpServerSettings;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The MCP servers of the operator, which all accounts see. */
export class InstanceServers {
  readonly servers: ReadonlyMap<string, McpServer>;
  readonly #secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;

  constructor(defined: ReadonlyMap<string, InstanceServer>) {
    const server = (name: string, { settings, secrets: own }: InstanceServer) =>
      toServer(undefined, name, { settings, secrets: Object.keys(own), document: undefined });
    this.servers = new Map([...defined].map(([name, one]) => [name, server(name, one)]));
    this.#secrets = new Map([...defined].map(([name, one]) => [name, one.secrets]));
  }

  secretsOf(name: string): Readonly<Record<string, string>> {
    return this.#secrets.get(name) ?? {};
  }

  /** Their addresses, which may be private. */
  origins(): ReadonlySet<string> {
    return new Set(
      [...this.servers.values()].flatMap(({ transport }) => {
        if (transport.kind === 'program') return [];
        return [new URL(transport.kind === 'http' ? transport.url : transport.baseUrl).origin];
      }),
    );
  }
}

/** Reads the servers of the operator. Calls `onFault` for each fault. */
export function readInstanceServers(
  document: JsonObject,
  onFault: (path: readonly PropertyKey[], message: string) => void,
): ReadonlyMap<string, InstanceServer> {
  const servers = new Map<string, InstanceServer>();
  for (const [name, value] of Object.entries(document)) {
    if (!serverNamePattern.test(name)) onFault([name], serverNameRule);
    const { headers = {}, env = {}, ...settings } = isJsonObject(value) ? value : {};
    const read = mcpServerSettings.safeParse(settings);
    const own = z.object(secretFields).safeParse({ headers, env });
    for (const issue of [...(read.error?.issues ?? []), ...(own.error?.issues ?? [])])
      onFault([name, ...issue.path], issue.message);
    if (!read.success || !own.success) continue;
    if (read.data.openapi !== undefined)
      onFault([name, 'openapi'], 'is for servers of accounts: store it with PUT /v1/mcp/servers/:name');
    const isProgram = read.data.command !== undefined;
    const given = isProgram ? (own.data.env ?? {}) : (own.data.headers ?? {});
    for (const [field, text] of Object.entries(given)) {
      const fault = isProgram ? variableFault(field, text) : serverHeaderFault(field, text);
      if (fault !== undefined) onFault([name, isProgram ? 'env' : 'headers', field], fault);
    }
    servers.set(name, { settings: read.data, secrets: given });
  }
  return servers;
}
