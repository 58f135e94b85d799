import { GatewayError } from '../../kernel/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { ignoreErrors } from '../../lib/ignore-errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { ServerHealths } from '../servers/server-health.ts';
import { digestOf } from './read-list.ts';
import type {
  ListenOptions,
  ListName,
  RequestOptions,
  ServerConnection,
  ServerDescription,
  ServerList,
  Subscription,
} from './server-connection.ts';

interface WatchedParts {
  readonly server: McpServer;
  readonly inner: ServerConnection;
  readonly health: ServerHealths;
  readonly clock: Clock;
}

/** A connection whose requests count for the health of its server. Once it is retired, it closes after its last request. */
export class WatchedConnection implements ServerConnection {
  readonly #parts: WatchedParts;
  #open = 0;
  #isRetired = false;
  #usedAt = performance.now();

  constructor(parts: WatchedParts) {
    this.#parts = parts;
  }

  get version(): string {
    return this.#parts.server.version;
  }

  /** How long nobody has used it. */
  idleMs(now: number): number {
    return this.#open > 0 ? 0 : now - this.#usedAt;
  }

  async describe(options: RequestOptions): Promise<ServerDescription> {
    const { inner, health, server } = this.#parts;
    const found = await this.#watch(options, () => inner.describe(options));
    const { name, version } = found.serverInfo;
    health.noteDescription(server, {
      protocolVersion: found.protocolVersion,
      serverName: typeof name === 'string' ? name.slice(0, 200) : undefined,
      serverVersion: typeof version === 'string' ? version.slice(0, 100) : undefined,
    });
    return found;
  }

  async list(list: ListName, options: RequestOptions): Promise<ServerList> {
    const { inner, health, server, clock } = this.#parts;
    const found = await this.#watch(options, () => inner.list(list, options));
    const { items, leftOut } = found;
    if (list === 'tools')
      health.noteTools(server, clock.now(), { tools: items.length, listDigest: digestOf(items), leftOut });
    return found;
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return this.#watch(options, () => this.#parts.inner.request(method, params, options));
  }

  async listen(subscription: Subscription, options: ListenOptions): Promise<void> {
    this.#open++;
    try {
      await this.#parts.inner.listen(subscription, options);
    } finally {
      this.#leave();
    }
  }

  /** Closes it when no request is open. */
  retire(): void {
    this.#isRetired = true;
    if (this.#open === 0) ignoreErrors(this.close());
  }

  close(): Promise<void> {
    return this.#parts.inner.close();
  }

  async #watch<Result>({ signal }: RequestOptions, run: () => Promise<Result>): Promise<Result> {
    const { server, health, clock } = this.#parts;
    const startedAt = performance.now();
    this.#open++;
    try {
      const result = await run();
      health.noteSuccess(server, clock.now(), Math.round(performance.now() - startedAt));
      return result;
    } catch (error) {
      // What the server itself answers, and what the client breaks off, says nothing about the server's health.
      if (!signal.aborted && GatewayError.is(error) && error.status >= 500)
        health.noteFailure(server, clock.now(), error.message);
      throw error;
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#open--;
    this.#usedAt = performance.now();
    if (this.#isRetired && this.#open === 0) ignoreErrors(this.close());
  }
}
