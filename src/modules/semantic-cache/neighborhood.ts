/**
 * How far a candidate stands out from what else is stored on its subject. Where an app's prompts lie close together, the nearest is
 * more often another question than its score says. docs/semantic-cache.md has the measurements behind the numbers.
 */

/** The crowd are the nearest six of those that lie under .8; nearer ones are candidates, or other wordings of the question. */
const neighborhood = { size: 6, under: 0.8 } as const;

/** What has to be searched for to see the crowd: who lies farther away belongs to none, and there may be candidates before it. */
export const neighborhoodSearch = { most: 8 + neighborhood.size, least: 0.3 } as const;

/** So much nearer than the crowd on average is far enough; each hundredth less takes a fifth of a unit of score, and all together 2. */
const separation = { room: 0.35, slope: 20, most: 2 } as const;

/** How much more than usual has to speak for a candidate, by what was found around the prompt, nearest first. Few are no crowd. */
export function neighborhoodDoubt(cosine: number, found: readonly { readonly cosine: number }[]): number {
  const around = found.filter((one) => one.cosine < neighborhood.under).slice(0, neighborhood.size);
  const mean = around.reduce((sum, one) => sum + one.cosine, 0) / neighborhood.size;
  const { room, slope, most } = separation;
  return Math.min(most, slope * Math.max(0, room - (cosine - mean)));
}
