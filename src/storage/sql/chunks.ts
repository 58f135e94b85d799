/** The items in order, a bounded number at a time. */
export function* chunks<Item>(items: readonly Item[], itemsMax: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += itemsMax) yield items.slice(at, at + itemsMax);
}
