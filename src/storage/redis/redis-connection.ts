import type { RedisArgument } from '@redis/client';
import { GatewayError } from '../../kernel/errors.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { limits } from '../limits.ts';
import { parseClusterSlots, parseRedirect, slotOf } from './cluster-slots.ts';
import { findMaster } from './find-master.ts';
import { parseRedisUrl, type RedisAddress, type RedisEndpoint } from './redis-address.ts';
import { RedisNode, type ScriptValues } from './redis-node.ts';
import type { Script } from './scripts.ts';

interface RedisConnectionOptions {
  /** See `parseRedisUrl`. */
  readonly url: string;
  /** Time limit for a reply. */
  readonly answerMs?: number;
  /** Called when all servers are connected, and when one is lost or can't be reached. */
  readonly onChange?: (state: 'up' | 'down', cause?: unknown) => void;
  /** Called with the duration of each command, failed ones included. */
  readonly onReply?: ((ms: number) => void) | undefined;
}

/**
 * Redis: a server, the master that sentinels name, or the masters of a cluster. A cluster is recognized by what the
 * first server says of itself, and each command goes to the node of its key.
 */
export class RedisConnection {
  readonly #address: RedisAddress;
  readonly #answerMs: number;
  readonly #onChange: NonNullable<RedisConnectionOptions['onChange']>;
  readonly #onReply: RedisConnectionOptions['onReply'];
  readonly #upListeners = new Set<() => void>();
  /** The server of the URL. In a cluster it is asked for the other nodes. */
  readonly #entry: RedisNode;
  /** The masters of a cluster, by host and port. */
  #masters: ReadonlyMap<string, RedisNode> = new Map();
  /** The master of each slot; empty if this is no cluster. */
  #nodeOfSlot: readonly RedisNode[] = [];
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reportedState: 'up' | 'down' | undefined;
  #isClosed = false;

  /** Resolves after the first attempt, even if it failed: the connection keeps retrying then. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(parseRedisUrl(options.url), options);
    await connection.#entry.opened();
    await connection.#loading;
    await Promise.all(connection.nodes.map((node) => node.opened()));
    return connection;
  }

  private constructor(
    address: RedisAddress,
    { answerMs = limits.redisAnswerMs, onChange = () => undefined, onReply }: RedisConnectionOptions,
  ) {
    this.#address = address;
    this.#answerMs = answerMs;
    this.#onChange = onChange;
    this.#onReply = onReply;
    const { endpoints } = address;
    this.#entry = this.#openNode((attempt) => {
      const endpoint = endpoints[attempt % endpoints.length] ?? { host: 'localhost', port: 6379 };
      return findMaster(address, endpoint, answerMs);
    });
  }

  /** The servers that have keys. */
  get nodes(): readonly RedisNode[] {
    return this.#masters.size === 0 ? [this.#entry] : [...this.#masters.values()];
  }

  get isUp(): boolean {
    return this.nodes.every((node) => node.isUp);
  }

  /** The number of commands waiting for a reply. */
  get pending(): number {
    return this.nodes.reduce((sum, node) => sum + node.pending, 0);
  }

  /** Calls `then` now if the connection is up, and at each reconnect before any other command. */
  onUp(then: () => void): void {
    this.#upListeners.add(then);
    if (this.isUp) then();
  }

  /** Resolves if a server responds: in a cluster, one that is lost takes only the accounts on it away. */
  async ping(): Promise<void> {
    await Promise.any(this.nodes.map((node) => node.send(['PING']))).catch(({ errors: [first] }) => {
      throw first;
    });
  }

  /** A command whose first argument is its key. */
  send(command: readonly RedisArgument[]): Promise<unknown> {
    return this.#route(String(command[1]), (node, asks) => node.send(command, { asks }));
  }

  sendForBytes(command: readonly RedisArgument[]): Promise<unknown> {
    return this.#route(String(command[1]), (node, asks) => node.send(command, { asks, asBytes: true }));
  }

  /** One round trip, unless Redis has lost the script since the connection was established. */
  runScript(script: Script, keys: readonly string[], values: ScriptValues): Promise<unknown> {
    return this.#route(String(keys[0]), (node, asks) => node.runScript(script, keys, values, { asks }));
  }

  /** Closes at once; pending commands fail. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const node of [this.#entry, ...this.#masters.values()]) node.close();
  }

  /** Follows one redirection, which a cluster sends while slots move. */
  async #route(key: string, run: (node: RedisNode, asks: boolean) => Promise<unknown>): Promise<unknown> {
    const node = this.#masters.size === 0 ? this.#entry : this.#nodeOfSlot[slotOf(key)];
    if (node === undefined) throw storageUnavailable('no node of the Redis cluster has this key');
    const sentAtMs = performance.now();
    try {
      return await run(node, false);
    } catch (error) {
      const redirect = parseRedirect(GatewayError.is(error) ? error.cause : error);
      if (redirect === undefined) throw error;
      if (redirect.kind === 'MOVED') await this.#loadSlots();
      const next = this.#masters.get(nameOf(redirect.endpoint));
      if (next === undefined) throw error;
      return await run(next, redirect.kind === 'ASK');
    } finally {
      this.#onReply?.(performance.now() - sentAtMs);
    }
  }

  #openNode(locate: (attempt: number) => RedisEndpoint | Promise<RedisEndpoint>): RedisNode {
    const node: RedisNode = new RedisNode({
      address: this.#address,
      locate,
      answerMs: this.#answerMs,
      onChange: (state, cause) => this.#handleChange(node, state, cause),
    });
    return node;
  }

  #handleChange(node: RedisNode, state: 'up' | 'down', cause: unknown): void {
    if (this.#isClosed) return;
    // After a failover other nodes are masters.
    if (node === this.#entry ? node.isCluster : state === 'down') void this.#loadSlots();
    if (state === 'up') for (const then of this.#upListeners) then();
    const now = state === 'up' && this.isUp ? 'up' : 'down';
    if (state === 'up' && now === 'down') return;
    if (this.#reportedState === now) return;
    this.#reportedState = now;
    this.#onChange(now, cause);
  }

  /** Concurrent callers share one reading. */
  #loadSlots(): Promise<void> {
    this.#loading ??= this.#readSlots()
      // The nodes that are known stay.
      .catch(() => undefined)
      .finally(() => {
        this.#loading = undefined;
        this.#scheduleLoad();
      });
    return this.#loading;
  }

  /** Looks for a new master soon while one is lost, else from time to time. */
  #scheduleLoad(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const delayMs = this.isUp ? limits.redisClusterReadMs : limits.redisRetryMsMax;
    this.#timer = setTimeout(() => this.#loadSlots(), delayMs).unref();
  }

  async #readSlots(): Promise<void> {
    const asked = [this.#entry, ...this.#masters.values()].filter((node) => node.isUp);
    const reply = await Promise.any(asked.map((node) => node.send(['CLUSTER', 'SLOTS'])));
    if (this.#isClosed) return;
    const ranges = parseClusterSlots(reply);
    const [first] = this.#address.endpoints;
    const masters = new Map<string, RedisNode>();
    const nodeOfSlot: RedisNode[] = [];
    for (const { first: from, last, master = first } of ranges) {
      if (master === undefined) continue;
      const name = nameOf(master);
      const node = masters.get(name) ?? this.#masters.get(name) ?? this.#openNode(() => master);
      masters.set(name, node);
      for (let slot = from; slot <= last; slot++) nodeOfSlot[slot] = node;
    }
    const former = this.#masters;
    this.#masters = masters;
    this.#nodeOfSlot = nodeOfSlot;
    for (const [name, node] of former) if (!masters.has(name)) node.close();
  }
}

function nameOf(endpoint: RedisEndpoint): string {
  return 'path' in endpoint ? endpoint.path : `${endpoint.host}:${endpoint.port}`;
}
