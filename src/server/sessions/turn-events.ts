import type { ReplyEvent } from '../../kernel/message.ts';

/** The events of a response as they are pushed. Whoever reads them may stop at any time. */
export class TurnEvents implements AsyncIterableIterator<ReplyEvent, undefined> {
  #queue: ReplyEvent[] = [];
  #hasEnded = false;
  #waiting: PromiseWithResolvers<IteratorResult<ReplyEvent, undefined>> | undefined;

  push(event: ReplyEvent): void {
    if (this.#hasEnded) return;
    if (this.#waiting === undefined) {
      this.#queue.push(event);
      return;
    }
    this.#waiting.resolve({ done: false, value: event });
    this.#waiting = undefined;
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiting?.resolve(done);
    this.#waiting = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ReplyEvent, undefined>> {
    const event = this.#queue.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#hasEnded) return Promise.resolve(done);
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  async return(): Promise<IteratorResult<ReplyEvent, undefined>> {
    this.#queue = [];
    this.end();
    return done;
  }
}

const done = { done: true, value: undefined } as const;
