import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import { BoundedQueue } from '../bounded-queue.ts';
import { limits } from '../limits.ts';
import type { MailMessage } from './mail-message.ts';

export interface MailQueueParts {
  /** Sends a mail to the mail server. */
  deliver(mailMessage: MailMessage): Promise<void>;
  /** Called for a mail that could not be sent, without its content or recipient. */
  onFailure(cause: unknown): void;
}

/** Writes and sends mails in the background, so that response times don't reveal whether there was one to send. */
export class MailQueue {
  readonly #parts: MailQueueParts;
  readonly #queue = new BoundedQueue({ atOnce: limits.mailsAtOnce, waitingMax: limits.mailsWaiting });
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: MailQueueParts) {
    this.#parts = parts;
  }

  /** The number of mails not sent yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** `write` runs later and decides whether there is a mail to send. Throws if too many are waiting. */
  enqueue(write: () => Promise<MailMessage | undefined>): void {
    if (this.#pending.size >= limits.mailsWaiting)
      throw new GatewayError('busy', 'too many mails are waiting to be sent; try again in a minute', {
        retryAfterSeconds: 60,
      });
    const sent = this.#queue
      .run(async () => {
        // The client gets the response before anything is looked up.
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

  /** Tries waiting mails once more at most, for a bounded time; gives up the rest. */
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
