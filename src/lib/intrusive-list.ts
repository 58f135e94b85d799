/** The index of an item in its list; -1 if it is in none. */
export interface IntrusiveListItem {
  listIndex: number;
}

/**
 * An unordered list of current items. A Set that changes with every call allocates a new table every few calls, and
 * dead tables chain up: once one is old, the collector retains all of them. An array that shrinks and grows is copied
 * each time, so this one keeps its capacity.
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
    // Reading index -1 would take longer than everything else.
    if (listIndex < 0 || this.#items[listIndex] !== item) return;
    const last = this.#items[--this.#size];
    this.#items[this.#size] = undefined;
    item.listIndex = -1;
    if (last === undefined || last === item) return;
    this.#items[listIndex] = last;
    last.listIndex = listIndex;
  }

  /** A copy: handling an item may remove it from the list. */
  snapshot(): readonly Item[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
