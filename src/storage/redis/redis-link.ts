import { RESP_TYPES, type RedisArgument } from '@redis/client';
import { limits } from '../../kernel/limits.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import { within } from '../../kernel/within.ts';
import { type Client, connectRedis } from './connect-redis.ts';
import type { Script } from './scripts.ts';

interface LinkSetup {
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
export class RedisLink {
  readonly #url: string;
  readonly #answerMs: number;
  readonly #onChange: NonNullable<LinkSetup['onChange']>;
  readonly #whenUp = new Set<() => void>();
  readonly #closing = new AbortController();
  #told: 'up' | 'down' | undefined;
  #client: Client | undefined;
  /** The try that follows a loss at once, and is worth waiting for; later ones are not. */
  #opening: Promise<Client | undefined> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Connections that were tried since Redis last answered a question. */
  #tries = 0;
  #pending = 0;
  /** What Redis's clock shows when the performance clock here shows 0. */
  #clockZeroMs = 0;

  /** Resolves when the first try is over, also where it failed: then the link goes on trying. */
  static async open(setup: LinkSetup): Promise<RedisLink> {
    const protocol = URL.parse(setup.url)?.protocol;
    // The address itself has a password in it, and stays out of the message.
    if (protocol !== 'redis:' && protocol !== 'rediss:')
      throw new Error('the address of Redis must begin with redis:// or rediss://');
    const link = new RedisLink(setup);
    link.#open();
    await link.#opening;
    return link;
  }

  private constructor({ url, answerMs = limits.redisAnswerMs, onChange = () => undefined }: LinkSetup) {
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
    return Math.ceil(this.#clockZeroMs + performance.now() + this.#answerMs);
  }

  set redisNowMs(nowMs: number) {
    this.#clockZeroMs = nowMs - performance.now();
  }

  /** Calls this now if the link is up, and whenever it is up again, before anybody else is served. */
  whenUp(then: () => void): void {
    this.#whenUp.add(then);
    if (this.isUp) then();
  }

  ask(command: readonly RedisArgument[]): Promise<unknown> {
    return this.#ask((client) => client.sendCommand(command));
  }

  askForBytes(command: readonly RedisArgument[]): Promise<unknown> {
    return this.#ask((client) =>
      client.sendCommand(command, { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }),
    );
  }

  /** One round trip, unless Redis has lost the script since the connection was made. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values];
    return this.#ask(async (client) => {
      try {
        return await client.sendCommand(['EVALSHA', script.sha1, ...rest]);
      } catch (error) {
        if (!saysFirst(error, 'NOSCRIPT')) throw error;
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

  async #ask(question: (client: Client) => Promise<unknown>): Promise<unknown> {
    if (this.#pending >= limits.redisPendingMax) throw unavailable('Redis is not keeping up');
    this.#pending++;
    let asked: Client | undefined;
    const askWith = (client: Client) => {
      asked = client;
      return question(client);
    };
    try {
      const answer = this.#client ? askWith(this.#client) : this.#opened().then(askWith);
      const told = await within(answer, this.#answerMs, () => {
        const error = new Error('Redis did not answer in time');
        if (asked !== undefined) this.#lost(asked, error);
        return error;
      });
      this.#tries = 0;
      return told;
    } catch (error) {
      // A server that was demoted keeps its connections; only a new one finds its successor.
      if (asked !== undefined && saysFirst(error, 'READONLY')) this.#lost(asked, error);
      throw unavailable('Redis is not available', error);
    } finally {
      this.#pending--;
    }
  }

  async #opened(): Promise<Client> {
    const client = await this.#opening;
    if (client === undefined || this.#closing.signal.aborted) throw new Error('there is no connection');
    return client;
  }

  /** At once where the connection was good; a server that takes connections and answers nothing is given rest. */
  #openAgain(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#tries === 0) this.#open();
    else this.#retry = setTimeout(() => this.#open(), restMs(this.#tries));
  }

  #open(): void {
    const isFirst = this.#tries++ === 0;
    const opening = this.#connect().then(
      (client) => {
        this.#opening = undefined;
        this.#client = client;
        this.#tell('up');
        for (const then of this.#whenUp) then();
        return client;
      },
      (error) => {
        this.#opening = undefined;
        this.#tell('down', error);
        this.#openAgain();
        return undefined;
      },
    );
    if (isFirst) this.#opening = opening;
  }

  async #connect(): Promise<Client> {
    const { client, nowMs } = await connectRedis({
      url: this.#url,
      answerMs: this.#answerMs,
      signal: this.#closing.signal,
      onError: (failed, error) => this.#lost(failed, error),
    });
    this.redisNowMs = nowMs;
    return client;
  }

  #lost(client: Client, cause: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.destroy();
    this.#tell('down', cause);
    this.#openAgain();
  }

  #tell(state: 'up' | 'down', cause?: unknown): void {
    if (this.#told === state || this.#closing.signal.aborted) return;
    this.#told = state;
    this.#onChange(state, cause);
  }
}

/** Redis begins its errors with a word in capitals. */
function saysFirst(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word);
}

/** Longer from try to try, and not the same for all replicas. */
function restMs(tries: number): number {
  const most = Math.min(limits.redisRetryMsMin * 2 ** tries, limits.redisRetryMsMax);
  return most * (0.5 + Math.random() / 2);
}
