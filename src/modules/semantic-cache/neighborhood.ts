/**
 * How clearly a candidate stands out from other stored prompts on its subject. If an app's prompts are close together, the nearest
 * is a different question more often than its score suggests. docs/how-it-works/semantic-cache.md has the measurements.
 */

/** The neighborhood is the six nearest prompts below this cosine; nearer ones are candidates or paraphrases. */
const neighborhood = { size: 6, under: 0.8 } as const;

/** The search for the neighborhood, with room for candidates before it; prompts below this cosine don't belong to it. */
export const neighborhoodSearch = { most: 8 + neighborhood.size, least: 0.3 } as const;

/** A candidate this much nearer than the average neighbor stands out; each hundredth less costs a fifth of a score unit, at most 2. */
const separation = { room: 0.35, slope: 20, most: 2 } as const;

/** The score penalty of a candidate by its neighborhood, given nearest first. Missing neighbors count as distant. */
export function neighborhoodDoubt(cosine: number, found: readonly { readonly cosine: number }[]): number {
  const around = found.filter((one) => one.cosine < neighborhood.under).slice(0, neighborhood.size);
  const mean = around.reduce((sum, one) => sum + one.cosine, 0) / neighborhood.size;
  const { room, slope, most } = separation;
  return Math.min(most, slope * Math.max(0, room - (cosine - mean)));
}
