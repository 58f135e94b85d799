import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';
import { type Reply, replyOwnership } from './reply/reply.ts';

/** The replies and failures that a module received from inner modules or the provider. */
export class InnerReplies {
  #replies: readonly Reply[] = none;
  #failures: readonly unknown[] = none;

  get isEmpty(): boolean {
    return this.#replies.length === 0;
  }

  add(reply: Reply): void {
    this.#replies = [...this.#replies, reply];
  }

  addFailure(failure: unknown): void {
    this.#failures = [...this.#failures, failure];
  }

  includes(reply: Reply): boolean {
    return this.#replies.includes(reply);
  }

  get firstFailure(): unknown {
    return this.#failures[0];
  }

  /** Whether an error came from further in, so that it is not the module's fault. */
  isInnerFailure(thrown: unknown): boolean {
    const failure = GatewayError.originalOf(thrown);
    return this.#failures.includes(failure) || this.#replies.some((reply) => reply.failure === failure);
  }

  /** The latest reply that the module hasn't read. */
  findUnread(): Reply | undefined {
    return this.#replies.findLast((reply) => !reply.consumed);
  }

  discardAllExcept(kept: Reply | undefined): void {
    for (const reply of this.#replies) if (reply !== kept) discardReply(reply);
  }

  /**
   * Discards the replies that will not be read once the module has returned `delivered`. A module that answers by
   * itself may start to read them when its own reply starts.
   */
  discardUnread(delivered: Reply): void {
    const discard = () => {
      for (const reply of this.#replies) {
        const unread = replyOwnership.findUnreadDescendant(reply, delivered);
        if (unread !== undefined) discardReply(unread);
      }
    };
    if (this.isEmpty) return;
    if (this.#replies.some((reply) => delivered.derivesFrom(reply))) discard();
    else replyOwnership.onStart(delivered, discard);
  }

  /** Discards unread replies at the end of the call. Those that the module still reads may continue for a while. */
  end(): void {
    const open = this.#replies.filter((reply) => !reply.ended);
    for (const reply of open) if (!reply.consumed) discardReply(reply);
    if (open.some((reply) => !reply.ended))
      setTimeout(() => open.forEach(discardReply), limits.moduleLateReadMs).unref();
  }
}

/** Doesn't wait for the end. */
export function discardReply(reply: Reply): void {
  void reply.discard();
}

const none: readonly never[] = [];
