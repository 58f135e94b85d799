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

const whereTo = { row: z.string(), origin: z.string(), headers: z.record(z.string(), z.string()) };

export const plan = z.object({
  kind: z.literal('run'),
  ...whereTo,
  /** How many calls are under way at most. */
  concurrency: z.number(),
  /** No call starts later than this; those under way are waited for. */
  seconds: z.number(),
  /** Calls a second over all callers; zero lets each call follow the last at once. */
  perSecond: z.number(),
  /** API keys that calls use in turn, in place of the one in the headers. */
  keys: z.array(z.string()),
});
export type Plan = z.infer<typeof plan>;

export const measured = z.object({
  kind: z.literal('measured'),
  calls: z.number(),
  seconds: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** The median time to the first token. */
  firstTokenMs: z.number(),
  answerBytes: z.number(),
  failures: z.number(),
  firstFailure: z.string(),
});
export type Measurement = z.infer<typeof measured>;

/** Streams that are opened all at once and held until they are released. */
export const holdPlan = z.object({ kind: z.literal('hold'), ...whereTo, streams: z.number() });
export type HoldPlan = z.infer<typeof holdPlan>;

export const release = z.object({ kind: z.literal('release') });

/** Told when all streams are open, and again when they have been released. */
export const held = z.object({
  kind: z.literal('held'),
  /** What all streams together have brought by now. */
  bytes: z.number(),
  /** Streams that ended by themselves. */
  failures: z.number(),
});

/** Tells the upstream to end all streams. */
export const finish = z.object({ kind: z.literal('finish') });

export const finished = z.object({ kind: z.literal('finished'), streams: z.number() });
