import type { PullResult } from './source.ts';

/** Not a generator: one that is returned before its first step would never run its `finally`. */
export class ReplyBytes implements AsyncIterableIterator<Uint8Array> {
  /** The next bytes, synchronously if they are there. */
  readonly pull: () => PullResult<Uint8Array>;
  /** Discards the rest. */
  readonly stop: () => void | Promise<void>;

  constructor(pull: () => PullResult<Uint8Array>, stop: () => void | Promise<void>) {
    this.pull = pull;
    this.stop = stop;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = await this.pull();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.stop();
    return { done: true, value: undefined };
  }
}
