import { isJsonObject } from './json.ts';

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

/** JSON with every string in it mapped; the same value if none changes. */
export function mapStrings<Value>(value: Value, map: (text: string) => string): Value {
  return mapStringsIn(value, map) as Value;
}

function mapStringsIn(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return mapItems(value, (item) => mapStringsIn(item, map));
  if (!isJsonObject(value) || JSON.isRawJSON(value)) return value;
  return mapFields(value, (_, inner) => mapStringsIn(inner, map));
}
