/** Like `map`, but the same list if no item changes. */
export function mapItems<Item>(
  items: readonly Item[],
  map: (item: Item, index: number) => Item,
): readonly Item[] {
  let changed: Item[] | undefined;
  for (const [index, item] of items.entries()) {
    const mapped = map(item, index);
    if (mapped === item) continue;
    changed ??= [...items];
    changed[index] = mapped;
  }
  return changed ?? items;
}

/** The object with its fields mapped; the same object if no field changes. */
export function mapFields<Fields extends object>(
  object: Fields,
  map: (name: string, value: unknown) => unknown,
): Fields {
  let changed: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(object)) {
    const mapped = map(name, value);
    if (mapped === value) continue;
    changed ??= Object.fromEntries(Object.entries(object));
    changed[name] = mapped;
  }
  return changed === undefined ? object : (changed as Fields);
}
