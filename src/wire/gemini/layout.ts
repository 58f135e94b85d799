import type { ByteFilter } from '../../kernel/reply/filtered.ts';

/** A list with the one answer in it: what a stream is that nobody wants as events. */
export class ListOfOne implements ByteFilter {
  #begun = false;
  #ended = false;

  push(chunk: Uint8Array): Uint8Array {
    if (this.#begun) return chunk;
    this.#begun = true;
    return Buffer.concat([open, chunk]);
  }

  end(): Uint8Array | undefined {
    if (!this.#begun || this.#ended) return undefined;
    this.#ended = true;
    return close;
  }
}

const open = Buffer.from('[');
const close = Buffer.from(']\n');
