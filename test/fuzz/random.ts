/** Chance that can be had again: the same seed gives the same choices. */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = 0x9e3779b9;
    // Mixed between them: neighbouring seeds must not give the same choices in another order.
    for (const seed of seeds) this.#state = Math.floor(this.next() * 2 ** 32) ^ seed;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(most: number): number {
    return Math.floor(this.next() * most);
  }

  happens(chance: number): boolean {
    return this.next() < chance;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}
