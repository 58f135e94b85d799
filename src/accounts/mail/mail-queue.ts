import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { BoundedQueue } from '../bounded-queue.ts';
import type { MailMessage } from './mail-message.ts';

export interface MailQueueParts {
  /** Hands a mail to the mail server. */
  deliver(mailMessage: MailMessage): Promise<void>;
  /** A mail that nobody got; what it says and to whom isn't told. */
  onFailure(cause: unknown): void;
}

/** Writes and sends mails while nobody waits for them, so that nobody can tell from the time whether there was one to send. */
export class MailQueue {
  readonly #parts: MailQueueParts;
  readonly #queue = new BoundedQueue({ atOnce: limits.mailsAtOnce, waitingMax: limits.mailsWaiting });
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: MailQueueParts) {
    this.#parts = parts;
  }

  /** Mails that are not sent yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** `write` decides whether there is anything to send, and is asked later; refuses where too many wait. */
  enqueue(write: () => Promise<MailMessage | undefined>): void {
    if (this.#pending.size >= limits.mailsWaiting)
      throw new GatewayError('busy', 'too many mails are waiting to be sent; try again in a minute', {
        retryAfterSeconds: 60,
      });
    const sent = this.#queue
      .run(async () => {
        // Whoever asked has the answer before anything is looked up.
        await new Promise(setImmediate);
        if (this.#isClosed) return;
        const mailMessage = await write();
        if (mailMessage !== undefined) await this.#deliver(mailMessage);
      })
      .catch((cause: unknown) => {
        if (!this.#isClosed) this.#parts.onFailure(cause);
      })
      .finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  /** Sends what waits, each once more at most, for a bounded time; the rest is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.race([Promise.all(this.#pending), sleep(limits.mailCloseMs, undefined, { ref: false })]);
    this.#isClosed = true;
  }

  async #deliver(mailMessage: MailMessage): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#parts.deliver(mailMessage);
      } catch (cause) {
        if (tries >= limits.mailTries || this.#closing.signal.aborted) throw cause;
        await sleep(limits.mailRetryMs * 4 ** (tries - 1), undefined, { signal: this.#closing.signal }).catch(
          () => undefined,
        );
      }
    }
  }
}
