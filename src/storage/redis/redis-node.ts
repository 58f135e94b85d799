import { RESP_TYPES, type RedisArgument } from '@redis/client';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { limits } from '../limits.ts';
import { connectRedis, type RedisClient, type RedisGreeting } from './connect-redis.ts';
import type { RedisAddress, RedisEndpoint } from './redis-address.ts';
import type { Script } from './scripts.ts';

interface RedisNodeOptions {
  readonly address: RedisAddress;
  /** Where the server is, asked before each attempt to connect: a sentinel may name another one. */
  readonly locate: (attempt: number) => RedisEndpoint | Promise<RedisEndpoint>;
  readonly answerMs: number;
  /** Called when the connection is established, and when it is lost or can't be established. */
  readonly onChange: (state: 'up' | 'down', cause?: unknown) => void;
}

/**
 * One connection to a Redis server, replaced when it breaks or stops replying. Every command gets a reply or an error
 * within a bounded time: nothing is queued for later, and while Redis is unavailable commands fail at once.
 */
export class RedisNode {
  readonly #options: RedisNodeOptions;
  readonly #closing = new AbortController();
  #reportedState: 'up' | 'down' | undefined;
  #client: RedisClient | undefined;
  /** The first reconnect right after a loss. Commands wait for it, but not for later ones. */
  #opening: Promise<RedisClient | undefined> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Connection attempts since Redis last replied to a command. */
  #tries = 0;
  #attempts = 0;
  #pending = 0;
  /** Redis's time when `performance.now()` was 0. */
  #redisClockOffsetMs = 0;
  #greeting: RedisGreeting | undefined;

  /** Starts connecting; `opened` resolves after the first attempt. */
  constructor(options: RedisNodeOptions) {
    this.#options = options;
    this.#open();
  }

  /** Resolves after the first attempt, even if it failed: the connection keeps retrying then. */
  async opened(): Promise<void> {
    await this.#opening;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** The number of commands waiting for a reply. */
  get pending(): number {
    return this.#pending;
  }

  get isCluster(): boolean {
    return this.#greeting?.isCluster === true;
  }

  /** Identifies the process of the server, and so the data that it has; empty if the server does not tell. */
  get runId(): string {
    return this.#greeting?.runId ?? '';
  }

  /** When, on Redis's clock, a command sent now times out. */
  get deadlineMs(): number {
    return Math.ceil(this.#redisClockOffsetMs + performance.now() + this.#options.answerMs);
  }

  set redisNowMs(nowMs: number) {
    this.#redisClockOffsetMs = nowMs - performance.now();
  }

  /** With `asks`, the command may use a slot that this node of a cluster is about to take over. */
  send(command: readonly RedisArgument[], { asBytes = false, asks = false } = {}): Promise<unknown> {
    return this.#withClient((client) => {
      if (asks) client.sendCommand(['ASKING']).catch(() => undefined);
      return client.sendCommand(command, asBytes ? bytesReply : undefined);
    });
  }

  /** One round trip, unless Redis has lost the script since the connection was established. */
  async runScript(
    script: Script,
    keys: readonly string[],
    values: ScriptValues,
    { asks = false } = {},
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys];
    return this.#withClient(async (client) => {
      const run = (command: readonly string[]) => {
        if (asks) client.sendCommand(['ASKING']).catch(() => undefined);
        return client.sendCommand([...command, ...rest, ...values(this)]);
      };
      try {
        return await run(['EVALSHA', script.sha1]);
      } catch (error) {
        if (!hasErrorCode(error, 'NOSCRIPT')) throw error;
        return run(['EVAL', script.text]);
      }
    });
  }

  /** Closes at once; pending commands fail. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#retry);
    this.#client?.destroy();
    this.#client = undefined;
  }

  async #withClient(run: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    if (this.#pending >= limits.redisPendingMax) throw storageUnavailable('too many pending Redis commands');
    this.#pending++;
    let usedClient: RedisClient | undefined;
    const runWith = (client: RedisClient) => {
      usedClient = client;
      return run(client);
    };
    try {
      const answer = this.#client ? runWith(this.#client) : this.#waitForClient().then(runWith);
      const reply = await withTimeout(answer, this.#options.answerMs, () => {
        const error = new Error('Redis did not answer in time');
        if (usedClient !== undefined) this.#dropClient(usedClient, error);
        return error;
      });
      this.#tries = 0;
      return reply;
    } catch (error) {
      // A demoted server keeps its connections open; only a new connection reaches the new primary.
      if (usedClient !== undefined && hasErrorCode(error, 'READONLY')) this.#dropClient(usedClient, error);
      throw storageUnavailable('Redis is not available', error);
    } finally {
      this.#pending--;
    }
  }

  async #waitForClient(): Promise<RedisClient> {
    const client = await this.#opening;
    if (client === undefined || this.#closing.signal.aborted) throw new Error('not connected to Redis');
    return client;
  }

  /** Reconnects at once if the connection had worked; backs off if the server accepts connections but never replies. */
  #reopen(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#tries === 0) this.#open();
    else this.#retry = setTimeout(() => this.#open(), retryDelayMs(this.#tries));
  }

  #open(): void {
    const isFirst = this.#tries++ === 0;
    const opening = this.#connect().then(
      (client) => {
        this.#opening = undefined;
        this.#client = client;
        this.#reportState('up');
        return client;
      },
      (error) => {
        this.#opening = undefined;
        this.#reportState('down', error);
        this.#reopen();
        return undefined;
      },
    );
    if (isFirst) this.#opening = opening;
  }

  async #connect(): Promise<RedisClient> {
    const { address, locate, answerMs } = this.#options;
    const { client, greeting } = await connectRedis({
      address,
      endpoint: await locate(this.#attempts++),
      answerMs,
      signal: this.#closing.signal,
      onError: (failed, error) => this.#dropClient(failed, error),
    });
    this.#greeting = greeting;
    this.redisNowMs = greeting.nowMs;
    return client;
  }

  #dropClient(client: RedisClient, cause: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.destroy();
    this.#reportState('down', cause);
    this.#reopen();
  }

  #reportState(state: 'up' | 'down', cause?: unknown): void {
    if (this.#reportedState === state || this.#closing.signal.aborted) return;
    this.#reportedState = state;
    this.#options.onChange(state, cause);
  }
}

/** The values of a script, which may depend on the server that runs it. */
export type ScriptValues = (node: RedisNode) => readonly string[];

const bytesReply = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };

/** Redis errors start with a code in capitals. */
function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && error.message.startsWith(code);
}

/** Exponential backoff with jitter. */
function retryDelayMs(tries: number): number {
  const most = Math.min(limits.redisRetryMsMin * 2 ** tries, limits.redisRetryMsMax);
  return most * (0.5 + Math.random() / 2);
}
