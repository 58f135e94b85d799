import type { ReplyEvent } from '../message.ts';

interface Read {
  /** The next events; undefined when there are no more. */
  pull(): Promise<readonly ReplyEvent[] | undefined>;
  /** Gives up what is left. */
  stop(): Promise<void>;
}

/** A reply read in the open, one event at a time. Written by hand: a generator that never began would never end. */
export class Reading implements AsyncIterableIterator<ReplyEvent> {
  readonly #read: Read;
  #waiting: readonly ReplyEvent[] = [];
  #at = 0;
  #hasSeenStop = false;
  #begun = false;

  constructor(read: Read) {
    this.#read = read;
  }

  /** Whether any of it was read. */
  get begun(): boolean {
    return this.#begun;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ReplyEvent, undefined>> {
    this.#begun = true;
    for (;;) {
      const event = this.#waiting[this.#at++];
      if (event !== undefined) {
        if (event.type === 'message_stop') this.#hasSeenStop = true;
        return { done: false, value: event };
      }
      const events = await this.#read.pull();
      if (events === undefined) return { done: true, value: undefined };
      this.#waiting = events;
      this.#at = 0;
    }
  }

  /** Who leaves after the last event has read all of it. */
  async return(): Promise<IteratorResult<ReplyEvent, undefined>> {
    this.#waiting = [];
    if (!this.#hasSeenStop) await this.#read.stop();
    else while ((await this.#read.pull()) !== undefined);
    return { done: true, value: undefined };
  }
}
