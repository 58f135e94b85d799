import { quantile } from '../statistics.ts';

export interface Point {
  readonly minute: number;
  readonly value: number;
}

/** How much a value grows in a minute: the median of the slopes between all pairs, which single outliers don't move. */
export function growthPerMinute(points: readonly Point[]): number {
  const slopes = points.flatMap((later, index) =>
    points.slice(0, index).map((earlier) => (later.value - earlier.value) / (later.minute - earlier.minute)),
  );
  return quantile(slopes, 0.5);
}
