import type { ReplyEvent } from '../message.ts';

interface IteratorSource {
  /** The next events; undefined when there are no more. */
  pull(): Promise<readonly ReplyEvent[] | undefined>;
  /** Discards the rest. */
  stop(): Promise<void>;
}

/** Reads a reply event by event. Not a generator: one that never started would never end. */
export class ReplyEventIterator implements AsyncIterableIterator<ReplyEvent> {
  readonly #source: IteratorSource;
  #buffer: readonly ReplyEvent[] = [];
  #at = 0;
  #hasSeenStop = false;
  #started = false;

  constructor(iteratorSource: IteratorSource) {
    this.#source = iteratorSource;
  }

  /** Whether any event was read. */
  get started(): boolean {
    return this.#started;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ReplyEvent, undefined>> {
    this.#started = true;
    for (;;) {
      const event = this.#buffer[this.#at++];
      if (event !== undefined) {
        if (event.type === 'message_stop') this.#hasSeenStop = true;
        return { done: false, value: event };
      }
      const events = await this.#source.pull();
      if (events === undefined) return { done: true, value: undefined };
      this.#buffer = events;
      this.#at = 0;
    }
  }

  /** A reader that stops after the last event has read everything. */
  async return(): Promise<IteratorResult<ReplyEvent, undefined>> {
    this.#buffer = [];
    if (!this.#hasSeenStop) await this.#source.stop();
    else while ((await this.#source.pull()) !== undefined);
    return { done: true, value: undefined };
  }
}
