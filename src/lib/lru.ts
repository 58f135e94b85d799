/**
 * The most recently used entries, up to a maximum of their weights, which are 1 by default. Two generations instead of an ordered list: a hit costs one
 * lookup, and entries not used during a whole generation are dropped with it.
 */
export class Lru<Value> {
  readonly #generationMax: number;
  #fresh = new Map<string, Value>();
  #stale = new Map<string, Value>();
  #freshWeight = 0;
  readonly #weigh: (value: Value) => number;

  constructor(weightMax: number, weigh: (value: Value) => number = () => 1) {
    this.#generationMax = Math.max(1, Math.floor(weightMax / 2));
    this.#weigh = weigh;
  }

  /** The number of entries; one that was used again may count twice until its generation ends. */
  get size(): number {
    return this.#fresh.size + this.#stale.size;
  }

  get(key: string): Value | undefined {
    const fresh = this.#fresh.get(key);
    if (fresh !== undefined) return fresh;
    const stale = this.#stale.get(key);
    if (stale !== undefined) this.set(key, stale);
    return stale;
  }

  set(key: string, value: Value): void {
    this.#deleteFresh(key);
    if (this.#freshWeight >= this.#generationMax) {
      this.#stale = this.#fresh;
      this.#fresh = new Map();
      this.#freshWeight = 0;
    }
    this.#fresh.set(key, value);
    this.#freshWeight += this.#weigh(value);
  }

  delete(key: string): void {
    this.#deleteFresh(key);
    this.#stale.delete(key);
  }

  #deleteFresh(key: string): void {
    const value = this.#fresh.get(key);
    if (value === undefined) return;
    this.#fresh.delete(key);
    this.#freshWeight -= this.#weigh(value);
  }
}
