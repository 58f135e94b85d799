/** Where something stands in a list that it will leave again; -1 when it stands in none. */
export interface Listed {
  place: number;
}

/**
 * What is going on at the moment, in no order. A Set that something enters and leaves with every call makes a new table
 * every few calls, each dead one pointing at the next: once one is old, the collector keeps all that they hold.
 */
export class OpenList<Item extends Listed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  delete(item: Item): void {
    if (this.#items[item.place] !== item) return;
    const last = this.#items.pop();
    if (last === undefined) return;
    if (last !== item) {
      this.#items[item.place] = last;
      last.place = item.place;
    }
    item.place = -1;
  }

  /** As it is now: what happens to an item may take it out of the list. */
  snapshot(): readonly Item[] {
    return [...this.#items];
  }
}
