import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { BoundedQueue } from '../bounded-queue.ts';
import type { Letter } from './letter.ts';

export interface PostmanParts {
  /** Hands a mail to the mail server. */
  deliver(letter: Letter): Promise<void>;
  /** A mail that nobody got; what it says and to whom isn't told. */
  onFailure(cause: unknown): void;
}

/** Writes and sends mails while nobody waits for them, so that nobody can tell from the time whether there was one to send. */
export class Postman {
  readonly #parts: PostmanParts;
  readonly #queue = new BoundedQueue({ atOnce: limits.mailsAtOnce, waitingMax: limits.mailsWaiting });
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: PostmanParts) {
    this.#parts = parts;
  }

  /** Mails that are not sent yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** `write` decides whether there is anything to send, and is asked later; refuses where too many wait. */
  post(write: () => Promise<Letter | undefined>): void {
    if (this.#waiting.size >= limits.mailsWaiting)
      throw new GatewayError('busy', 'too many mails wait to be sent; try again in a minute', {
        retryAfterSeconds: 60,
      });
    const sent = this.#queue
      .run(async () => {
        // Whoever asked has the answer before anything is looked up.
        await new Promise(setImmediate);
        if (this.#isClosed) return;
        const letter = await write();
        if (letter !== undefined) await this.#deliver(letter);
      })
      .catch((cause: unknown) => {
        if (!this.#isClosed) this.#parts.onFailure(cause);
      })
      .finally(() => this.#waiting.delete(sent));
    this.#waiting.add(sent);
  }

  /** Sends what waits, each once more at most, for a bounded time; the rest is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.race([Promise.all(this.#waiting), sleep(limits.mailCloseMs, undefined, { ref: false })]);
    this.#isClosed = true;
  }

  async #deliver(letter: Letter): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#parts.deliver(letter);
      } catch (cause) {
        if (tries >= limits.mailTries || this.#closing.signal.aborted) throw cause;
        await sleep(limits.mailRetryMs * 4 ** (tries - 1), undefined, { signal: this.#closing.signal }).catch(
          () => undefined,
        );
      }
    }
  }
}
