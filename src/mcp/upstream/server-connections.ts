import { GatewayError } from '../../kernel/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { ServerHealths } from '../servers/server-health.ts';
import { limits } from './limits.ts';
import type { EraMemory } from './rpc-connection.ts';
import type { ServerConnection, UpstreamCredential } from './server-connection.ts';
import { WatchedConnection } from './watched-connection.ts';

export interface ConnectionRequest {
  readonly server: McpServer;
  /** The account that makes the request; a server of the instance is used by many. */
  readonly accountId: string;
  readonly credential: UpstreamCredential;
}

/** Opens a connection; nothing is sent before its first request. Throws where this kind of server can't be used. */
export type OpenConnection = (request: ConnectionRequest, memory: EraMemory) => ServerConnection;

interface ServerConnectionsParts {
  readonly open: OpenConnection;
  readonly health: ServerHealths;
  readonly clock: Clock;
}

/** Connections to MCP servers: one for each account, server and credential, which a new version of the server replaces. */
export class ServerConnections {
  readonly #parts: ServerConnectionsParts;
  readonly #connections = new Map<string, WatchedConnection>();
  /** By server and version. */
  readonly #memories = new Map<string, EraMemory>();
  readonly #programs = new Map<string, number>();
  readonly #sweep: NodeJS.Timeout;

  constructor(parts: ServerConnectionsParts) {
    this.#parts = parts;
    this.#sweep = setInterval(() => this.#closeIdle(), limits.idleMs / 4).unref();
  }

  get size(): number {
    return this.#connections.size;
  }

  /** The connection of these, opened if there is none. */
  connectionTo(request: ConnectionRequest): ServerConnection {
    const key = keyOf(request);
    const known = this.#connections.get(key);
    if (known?.version === request.server.version) return known;
    if (known !== undefined) this.#drop(key, known);
    this.#checkRoom(request);
    const inner = this.#parts.open(request, this.#memoryOf(request.server));
    const connection = new WatchedConnection({ ...this.#parts, server: request.server, inner });
    this.#connections.set(key, connection);
    if (request.server.transport.kind === 'program') this.#countProgram(request.accountId, 1);
    return connection;
  }

  /** A connection of its own, for a test. The caller closes it. */
  openOnce(request: ConnectionRequest): ServerConnection {
    const inner = this.#parts.open(request, { era: undefined });
    return new WatchedConnection({ ...this.#parts, server: request.server, inner });
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const all = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.all(all.map((connection) => connection.close().catch(() => undefined)));
  }

  #checkRoom({ server, accountId }: ConnectionRequest): void {
    if (this.#connections.size >= limits.connectionsMax) this.#closeLongestIdle();
    if (this.#connections.size >= limits.connectionsMax)
      throw new GatewayError('busy', `all ${limits.connectionsMax} connections to MCP servers are in use`);
    if (server.transport.kind !== 'program') return;
    const all = [...this.#programs.values()].reduce((sum, count) => sum + count, 0);
    if (all >= limits.programsMax || (this.#programs.get(accountId) ?? 0) >= limits.programsOfAccountMax)
      throw new GatewayError(
        'busy',
        `the MCP server "${server.name}" can't be started: ${limits.programsOfAccountMax} programs of an account run at a time, and ${limits.programsMax} in all`,
      );
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [key, connection] of this.#connections)
      if (connection.idleMs(now) > limits.idleMs) this.#drop(key, connection);
  }

  #closeLongestIdle(): void {
    const now = performance.now();
    const [longest] = [...this.#connections].sort(([, a], [, b]) => b.idleMs(now) - a.idleMs(now));
    if (longest !== undefined && longest[1].idleMs(now) > 0) this.#drop(...longest);
  }

  #drop(key: string, connection: WatchedConnection): void {
    this.#connections.delete(key);
    if (key.startsWith('program\n')) this.#countProgram(key.split('\n')[1] ?? '', -1);
    connection.retire();
  }

  #countProgram(accountId: string, change: 1 | -1): void {
    const count = (this.#programs.get(accountId) ?? 0) + change;
    if (count > 0) this.#programs.set(accountId, count);
    else this.#programs.delete(accountId);
  }

  #memoryOf({ accountId = '', name, version }: McpServer): EraMemory {
    const key = `${accountId}\n${name}\n${version}`;
    const known = this.#memories.get(key);
    if (known !== undefined) return known;
    if (this.#memories.size >= limits.connectionsMax) this.#memories.clear();
    const memory: EraMemory = { era: undefined };
    this.#memories.set(key, memory);
    return memory;
  }
}

/** Accounts share no connection, also to a server of the operator: it may remember data of a session. */
function keyOf({ server, accountId, credential }: ConnectionRequest): string {
  const person = credential.kind === 'person' ? credential.personId : '';
  const { transport, name } = server;
  return [transport.kind, accountId, server.accountId ?? '', name, credential.kind, person].join('\n');
}
