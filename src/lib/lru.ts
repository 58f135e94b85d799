/**
 * The most recently used entries, up to a maximum. Two generations instead of an ordered list: a hit costs one
 * lookup, and entries not used during a whole generation are dropped with it.
 */
export class Lru<Value> {
  readonly #generationMax: number;
  #fresh = new Map<string, Value>();
  #stale = new Map<string, Value>();

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
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
    if (this.#fresh.size >= this.#generationMax && !this.#fresh.has(key)) {
      this.#stale = this.#fresh;
      this.#fresh = new Map();
    }
    this.#fresh.set(key, value);
  }

  delete(key: string): void {
    this.#fresh.delete(key);
    this.#stale.delete(key);
  }
}
