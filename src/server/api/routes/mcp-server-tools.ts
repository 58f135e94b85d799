import { createHash } from 'node:crypto';
import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { Wildcard } from '../../../lib/wildcard.ts';
import type { McpServer } from '../../../mcp/servers/mcp-server.ts';
import { unknownServerError } from '../../../mcp/servers/server-name.ts';
import type { UpstreamCredential } from '../../../mcp/upstream/server-connection.ts';
import type { ServerConnections } from '../../../mcp/upstream/server-connections.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

export interface McpServerToolRouteParts {
  readonly connections: Pick<ServerConnections, 'connectionTo'>;
  /** The server of this name that the caller can use; undefined if there is none. */
  serverOf(caller: AccountCaller, name: string): Promise<McpServer | undefined>;
  /** With what the caller's requests go to the server. */
  credentialOf(caller: AccountCaller, server: McpServer): UpstreamCredential;
}

const toolInfo = z.strictObject({
  name: z.string().describe('At the server'),
  title: z.string().nullable(),
  description: z.string().nullable(),
  input_schema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).describe('What the server says of the tool'),
  digest: z.string().describe('Of the whole definition: another one after each change'),
  offered: z.boolean().describe('Whether the patterns of the server let it through'),
  switchable: z.boolean().describe('Whether that can be changed without changing a pattern with `*`'),
});

/** The tools of an MCP server as it describes them, also those that are not offered. */
export function mcpServerToolRoutes(parts: McpServerToolRouteParts): readonly ApiRoute[] {
  return [
    defineRoute({
      tag: 'MCP servers',
      access: bySessionOrKey('settings'),
      method: 'GET',
      path: '/v1/mcp/servers/:name/tools',
      summary: 'List the tools of an MCP server with their definitions, also those that are not offered',
      body: noBody,
      responses: {
        200: { description: 'The tools by name', schema: z.strictObject({ tools: z.array(toolInfo) }) },
        401: { description: 'Missing or invalid credential' },
        404: { description: 'The account has no such MCP server' },
      },
      async handle({ caller, parameters: { name = '' } }) {
        const server = await parts.serverOf(caller, name);
        if (server === undefined) throw unknownServerError(name);
        if (!server.isEnabled)
          throw new GatewayError('forbidden', `the MCP server "${name}" is not in use: switch it on first`);
        const credential = parts.credentialOf(caller, server);
        const connection = parts.connections.connectionTo({
          server,
          accountId: caller.accountId,
          credential,
        });
        const signal = AbortSignal.timeout(server.timeoutMs);
        const { items } = await connection.list('tools', { signal });
        const tools = items.map((definition) => describeTool(definition, server));
        return { body: { tools: tools.sort((one, other) => (one.name < other.name ? -1 : 1)) } };
      },
    }),
  ];
}

function describeTool(definition: JsonObject, { tools: { allow, deny } }: McpServer) {
  const { name: given, title, description, inputSchema, annotations } = definition;
  const name = String(given);
  const matches = (patterns: readonly string[]) =>
    patterns.some((pattern) => new Wildcard(pattern).matches(name));
  return {
    name,
    title: typeof title === 'string' ? title : null,
    description: typeof description === 'string' ? description : null,
    input_schema: isJsonObject(inputSchema) ? { ...inputSchema } : {},
    annotations: isJsonObject(annotations) ? { ...annotations } : {},
    digest: createHash('sha256').update(canonicalJson(definition)).digest('hex').slice(0, 16),
    offered: (allow.length === 0 || matches(allow)) && !matches(deny),
    switchable: !matches(deny.filter((pattern) => pattern !== name)),
  };
}
