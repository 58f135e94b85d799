/** The middle value, and the farthest on each side. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), lowest: Math.min(...values), highest: Math.max(...values) };
}

export function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
