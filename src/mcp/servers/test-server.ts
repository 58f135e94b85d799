import { GatewayError } from '../../kernel/errors.ts';
import { RpcError } from '../upstream/rpc-error.ts';
import type { ServerConnections } from '../upstream/server-connections.ts';
import type { McpServer } from './mcp-server.ts';

/** What a test of a server finds. */
export interface ServerTest {
  readonly ok: boolean;
  readonly detail: string;
  readonly protocolVersion?: string;
  readonly era?: 'sessions' | 'stateless';
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly capabilities?: readonly string[];
  readonly tools?: readonly string[];
  readonly leftOut?: readonly string[];
}

/** Connects to a server anew, and lists its tools. */
export async function testServer(
  connections: Pick<ServerConnections, 'openOnce'>,
  { server, accountId }: { readonly server: McpServer; readonly accountId: string },
): Promise<ServerTest> {
  const { transport } = server;
  const isOfPeople = transport.kind === 'http' && transport.authorization === 'person';
  const credential = { kind: isOfPeople ? 'none' : 'shared' } as const;
  const signal = AbortSignal.timeout(server.timeoutMs);
  try {
    const connection = connections.openOnce({ server, accountId, credential });
    try {
      const { protocolVersion, era, serverInfo, capabilities } = await connection.describe({ signal });
      const { items, leftOut } = await connection.list('tools', { signal });
      const name = textOf(serverInfo.name);
      return {
        ok: true,
        detail: `${name || 'the server'} speaks MCP ${protocolVersion} and has ${items.length} tools`,
        protocolVersion,
        era,
        serverInfo: { name, version: textOf(serverInfo.version) },
        capabilities: Object.keys(capabilities).slice(0, 50),
        tools: items.map((tool) => String(tool.name)),
        leftOut,
      };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (isOfPeople && GatewayError.is(error) && error.code === 'mcp_server_refused')
      return { ok: true, detail: 'the server answers, and wants the authorization of each person' };
    if (GatewayError.is(error) && error.status >= 500) return { ok: false, detail: error.message };
    if (error instanceof RpcError)
      return {
        ok: false,
        detail: `the server answered with the error ${error.code}: ${error.message.slice(0, 300)}`,
      };
    if (signal.aborted)
      return { ok: false, detail: `the server did not answer within ${server.timeoutMs} ms` };
    throw error;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : '';
}
