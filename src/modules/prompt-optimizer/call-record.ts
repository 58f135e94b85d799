import { z } from 'zod';

/** Lifetimes of cache entries; `null` if a call set no markers. */
const lifetime = z.enum(['5m', '1h']).nullable();

/** What is remembered of a call for those that continue its conversation. */
export const callRecordSchema = z.object({
  atMs: z.number(),
  /** The calls of the conversation so far. */
  calls: z.number(),
  /** Of its pauses, those shorter than five minutes and those shorter than an hour. */
  short: z.number(),
  long: z.number(),
  isHeldOut: z.boolean(),
  lifetime,
  /** The values in the instructions as first sent, and as the model knows them by now. */
  sentValues: z.array(z.string()),
  knownValues: z.array(z.string()),
  /** Changed lines of the instructions, with the index of the message that has them. */
  changes: z.array(z.tuple([z.number(), z.string()])),
  /** The length of the instructions that other conversations share; 0 if they are sent in one piece. */
  sharedChars: z.number(),
  /** Indexes of minified messages. */
  minified: z.array(z.number()),
});

export type CallRecord = z.infer<typeof callRecordSchema>;

const depthSchema = z.object({ calls: z.number(), short: z.number(), long: z.number() });

export type DepthCounts = z.infer<typeof depthSchema>;

/** Statistics of the calls of an application. */
export const trafficSchema = z.object({
  atMs: z.number(),
  /** Digests of recent tools and instructions, with the times of their latest calls. */
  heads: z.array(z.tuple([z.string(), z.number()])),
  calls: z.number(),
  /** Calls within five minutes of one with the same tools and instructions. */
  repeats: z.number(),
  /** Calls by their number in their conversation, and how many of them were continued after a short or a long pause. */
  depths: z.array(depthSchema),
});

export type Traffic = z.infer<typeof trafficSchema>;

/** Digests of what the latest call of a conversation sent. */
export const sentDigestsSchema = z.object({
  atMs: z.number(),
  tools: z.array(z.tuple([z.string(), z.string()])),
  lines: z.array(z.string()),
  messages: z.array(z.string()),
});

export type SentDigests = z.infer<typeof sentDigestsSchema>;

export const toolOrderSchema = z.array(z.string());

/** Short digests of the lines that all recent instructions of an application begin with. */
export const sharedLinesSchema = z.array(z.string());
