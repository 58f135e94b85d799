import { RESP_TYPES, type RedisArgument } from '@redis/client';
import { limits } from '../../kernel/limits.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { withTimeout } from '../../kernel/with-timeout.ts';
import { connectRedis, type RedisClient } from './connect-redis.ts';
import type { Script } from './scripts.ts';

interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with credentials and the number of a database where needed. */
  readonly url: string;
  /** How long anybody waits for an answer. */
  readonly answerMs?: number;
  /** Told when the connection is there, and when it is lost or can't be made. */
  readonly onChange?: (state: 'up' | 'down', cause?: unknown) => void;
}

/**
 * One connection to Redis that is replaced when it breaks or falls silent. Whoever asks has an answer or an error
 * within a bounded time: nothing is kept for later, and while Redis is away nobody waits at all.
 */
export class RedisConnection {
  readonly #url: string;
  readonly #answerMs: number;
  readonly #onChange: NonNullable<RedisConnectionOptions['onChange']>;
  readonly #upListeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #reportedState: 'up' | 'down' | undefined;
  #client: RedisClient | undefined;
  /** The try that follows a loss at once, and is worth waiting for; later ones are not. */
  #opening: Promise<RedisClient | undefined> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Connections that were tried since Redis last answered a question. */
  #tries = 0;
  #pending = 0;
  /** What Redis's clock shows when the performance clock here shows 0. */
  #redisClockOffsetMs = 0;

  /** Resolves when the first try is over, also where it failed: then the link goes on trying. */
  static async open(setup: RedisConnectionOptions): Promise<RedisConnection> {
    const protocol = URL.parse(setup.url)?.protocol;
    // The address itself has a password in it, and stays out of the message.
    if (protocol !== 'redis:' && protocol !== 'rediss:')
      throw new Error('the address of Redis must begin with redis:// or rediss://');
    const link = new RedisConnection(setup);
    link.#open();
    await link.#opening;
    return link;
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

  /** Questions that have no answer yet. */
  get pending(): number {
    return this.#pending;
  }

  /** When, on Redis's own clock, nobody waits any more for what is asked now. */
  get deadlineMs(): number {
    return Math.ceil(this.#redisClockOffsetMs + performance.now() + this.#answerMs);
  }

  set redisNowMs(nowMs: number) {
    this.#redisClockOffsetMs = nowMs - performance.now();
  }

  /** Calls this now if the link is up, and whenever it is up again, before anybody else is served. */
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

  /** One round trip, unless Redis has lost the script since the connection was made. */
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

  /** Ends at once; open questions are answered with an error. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#retry);
    this.#client?.destroy();
    this.#client = undefined;
  }

  async #withClient(question: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    if (this.#pending >= limits.redisPendingMax) throw storageUnavailable('Redis is not keeping up');
    this.#pending++;
    let asked: RedisClient | undefined;
    const askWith = (client: RedisClient) => {
      asked = client;
      return question(client);
    };
    try {
      const answer = this.#client ? askWith(this.#client) : this.#waitForClient().then(askWith);
      const told = await withTimeout(answer, this.#answerMs, () => {
        const error = new Error('Redis did not answer in time');
        if (asked !== undefined) this.#dropClient(asked, error);
        return error;
      });
      this.#tries = 0;
      return told;
    } catch (error) {
      // A server that was demoted keeps its connections; only a new one finds its successor.
      if (asked !== undefined && hasErrorCode(error, 'READONLY')) this.#dropClient(asked, error);
      throw storageUnavailable('Redis is not available', error);
    } finally {
      this.#pending--;
    }
  }

  async #waitForClient(): Promise<RedisClient> {
    const client = await this.#opening;
    if (client === undefined || this.#closing.signal.aborted) throw new Error('there is no connection');
    return client;
  }

  /** At once where the connection was good; a server that takes connections and answers nothing is given rest. */
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

/** Redis begins its errors with a word in capitals. */
function hasErrorCode(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word);
}

/** Longer from try to try, and not the same for all replicas. */
function retryDelayMs(tries: number): number {
  const most = Math.min(limits.redisRetryMsMin * 2 ** tries, limits.redisRetryMsMax);
  return most * (0.5 + Math.random() / 2);
}
