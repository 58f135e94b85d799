import { RESP_TYPES, type RedisArgument } from '@redis/client';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { limits } from '../limits.ts';
import { connectRedis, type RedisClient } from './connect-redis.ts';
import type { Script } from './scripts.ts';

interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with credentials and a database number if needed. */
  readonly url: string;
  /** Time limit for a reply. */
  readonly answerMs?: number;
  /** Called when the connection is established, and when it is lost or can't be established. */
  readonly onChange?: (state: 'up' | 'down', cause?: unknown) => void;
}

/**
 * One connection to Redis, replaced when it breaks or stops replying. Every command gets a reply or an error within a
 * bounded time: nothing is queued for later, and while Redis is unavailable commands fail at once.
 */
export class RedisConnection {
  readonly #url: string;
  readonly #answerMs: number;
  readonly #onChange: NonNullable<RedisConnectionOptions['onChange']>;
  readonly #upListeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #reportedState: 'up' | 'down' | undefined;
  #client: RedisClient | undefined;
  /** The first reconnect right after a loss. Commands wait for it, but not for later ones. */
  #opening: Promise<RedisClient | undefined> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Connection attempts since Redis last replied to a command. */
  #tries = 0;
  #pending = 0;
  /** Redis's time when `performance.now()` was 0. */
  #redisClockOffsetMs = 0;

  /** Resolves after the first attempt, even if it failed: the connection keeps retrying then. */
  static async open(setup: RedisConnectionOptions): Promise<RedisConnection> {
    const protocol = URL.parse(setup.url)?.protocol;
    // The URL may contain a password, so the message leaves it out.
    if (protocol !== 'redis:' && protocol !== 'rediss:')
      throw new Error('the Redis URL must start with redis:// or rediss://');
    const connection = new RedisConnection(setup);
    connection.#open();
    await connection.#opening;
    return connection;
  }

  private constructor({
    url,
    answerMs = limits.redisAnswerMs,
    onChange = () => undefined,
  }: RedisConnectionOptions) {
    this.#url = url;
    this.#answerMs = answerMs;
    this.#onChange = onChange;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** The number of commands waiting for a reply. */
  get pending(): number {
    return this.#pending;
  }

  /** When, on Redis's clock, a command sent now times out. */
  get deadlineMs(): number {
    return Math.ceil(this.#redisClockOffsetMs + performance.now() + this.#answerMs);
  }

  set redisNowMs(nowMs: number) {
    this.#redisClockOffsetMs = nowMs - performance.now();
  }

  /** Calls `then` now if the connection is up, and at each reconnect before any other command. */
  onUp(then: () => void): void {
    this.#upListeners.add(then);
    if (this.isUp) then();
  }

  send(command: readonly RedisArgument[]): Promise<unknown> {
    return this.#withClient((client) => client.sendCommand(command));
  }

  sendForBytes(command: readonly RedisArgument[]): Promise<unknown> {
    return this.#withClient((client) =>
      client.sendCommand(command, { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }),
    );
  }

  /** One round trip, unless Redis has lost the script since the connection was established. */
  runScript(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values];
    return this.#withClient(async (client) => {
      try {
        return await client.sendCommand(['EVALSHA', script.sha1, ...rest]);
      } catch (error) {
        if (!hasErrorCode(error, 'NOSCRIPT')) throw error;
        return client.sendCommand(['EVAL', script.text, ...rest]);
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
      const reply = await withTimeout(answer, this.#answerMs, () => {
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
        for (const then of this.#upListeners) then();
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
    const { client, nowMs } = await connectRedis({
      url: this.#url,
      answerMs: this.#answerMs,
      signal: this.#closing.signal,
      onError: (failed, error) => this.#dropClient(failed, error),
    });
    this.redisNowMs = nowMs;
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
    this.#onChange(state, cause);
  }
}

/** Redis errors start with a code in capitals. */
function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && error.message.startsWith(code);
}

/** Exponential backoff with jitter. */
function retryDelayMs(tries: number): number {
  const most = Math.min(limits.redisRetryMsMin * 2 ** tries, limits.redisRetryMsMax);
  return most * (0.5 + Math.random() / 2);
}
