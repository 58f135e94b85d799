import { z } from 'zod';

/** What a soak and its load tell each other. */
export const soakPlan = z.object({
  kind: z.literal('soak'),
  origin: z.string(),
  /** The keys of each: one that runs the gateway's own pipeline, one that has a cache. */
  callers: z.array(z.object({ plain: z.string(), cached: z.string() })),
});
export type SoakPlan = z.infer<typeof soakPlan>;

/** No further calls; those under way are waited for. */
export const halt = z.object({ kind: z.literal('halt') });

export const traffic = z.object({
  kind: z.literal('traffic'),
  calls: z.number(),
  /** Calls that ended otherwise than they must. */
  surprising: z.number(),
  /** Some of them. */
  surprises: z.array(z.string()),
});
