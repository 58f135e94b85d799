/** Where something stands in a list that it will leave again; -1 when it stands in none. */
export interface IntrusiveListItem {
  listIndex: number;
}

/**
 * What is going on at the moment, in no order. A Set that something enters and leaves with every call makes a new table
 * every few calls, each dead one pointing at the next: once one is old, the collector keeps all that they hold. An array
 * that shrinks and grows is copied each time, so that this one keeps the room it had.
 */
export class IntrusiveList<Item extends IntrusiveListItem> {
  readonly #items: (Item | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    item.listIndex = this.#size;
    this.#items[this.#size++] = item;
  }

  delete(item: Item): void {
    const { listIndex } = item;
    // Looking for what stands at -1 takes longer than all the rest.
    if (listIndex < 0 || this.#items[listIndex] !== item) return;
    const last = this.#items[--this.#size];
    this.#items[this.#size] = undefined;
    item.listIndex = -1;
    if (last === undefined || last === item) return;
    this.#items[listIndex] = last;
    last.listIndex = listIndex;
  }

  /** As it is now: what happens to an item may take it out of the list. */
  snapshot(): readonly Item[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
