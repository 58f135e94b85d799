import { z } from 'zod';

/** What the processes of a benchmark tell each other. */
export const ready = z.object({ kind: z.literal('ready'), port: z.number() });

export const usage = z.object({
  kind: z.literal('usage'),
  cpuMicros: z.number(),
  rssBytes: z.number(),
  /** JavaScript objects and the buffers they hold. */
  heapBytes: z.number(),
});
export type Usage = z.infer<typeof usage>;

export const plan = z.object({
  kind: z.literal('run'),
  row: z.string(),
  origin: z.string(),
  concurrency: z.number(),
  /** No request starts later than this; those under way are waited for. Zero sends `concurrency` requests. */
  seconds: z.number(),
});
export type Plan = z.infer<typeof plan>;

export const measured = z.object({
  kind: z.literal('measured'),
  requests: z.number(),
  seconds: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  answerBytes: z.number(),
  failures: z.number(),
  firstFailure: z.string(),
});
export type Measured = z.infer<typeof measured>;
