import { GatewayError } from '../../kernel/errors.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { ServerConnection, UpstreamCredential } from './server-connection.ts';

export interface ConnectionRequest {
  readonly server: McpServer;
  /** The account that makes the request; a server of the instance is used by many. */
  readonly accountId: string;
  readonly credential: UpstreamCredential;
}

/** Opens a connection; nothing is sent before its first request. */
export type OpenConnection = (request: ConnectionRequest) => ServerConnection;

export type ConnectionOpeners = Readonly<Record<McpServer['transport']['kind'], OpenConnection | undefined>>;

/** Connections to MCP servers: one for each account, version of the server and credential. */
export class ServerConnections {
  readonly #openers: ConnectionOpeners;

  constructor(openers: ConnectionOpeners) {
    this.#openers = openers;
  }

  /** The connection of these, opened if there is none. Throws where this kind of server can't be used. */
  connectionTo(request: ConnectionRequest): ServerConnection {
    const { kind } = request.server.transport;
    const open = this.#openers[kind];
    if (open === undefined)
      throw new GatewayError(
        'forbidden',
        `this gateway does not connect to MCP servers of the kind ${kind} (${request.server.name})`,
      );
    return open(request);
  }

  async close(): Promise<void> {}
}
