/** The models of the price data with their prices, as text, by `provider/model`. */
export type PriceTexts = ReadonlyMap<string, string>;

/** What differs between two versions of the price data, one line each. */
export function priceChanges(before: PriceTexts, after: PriceTexts): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now) return [];
    if (old === undefined) return [`new      ${name} ${now}`];
    return now === undefined ? [`gone     ${name} ${old}`] : [`changed  ${name} ${old} → ${now}`];
  });
}
