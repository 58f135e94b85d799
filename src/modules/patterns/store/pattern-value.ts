import { z } from 'zod';
import type { Module } from '../../../module-api.ts';
import type { Pattern } from '../pattern.ts';
import { limits } from './limits.ts';
import { patternsCollection } from './pattern-table.ts';
import { trialCollections } from './pattern-trials.ts';

const text = z.string().max(limits.patternTextCharactersMax);
const names = z.array(text).max(limits.patternListMax);
const count = z.number().min(0);

/** A pattern as it is stored. */
const pattern: z.ZodType<Pattern> = z.strictObject({
  id: text.min(1),
  trigger: z.strictObject({ text, tools: names, models: names }),
  advice: text.min(1),
  state: z.enum(['candidate', 'active', 'retired']),
  origin: z.enum(['person', 'forge']),
  scope: text.nullable(),
  approved: z.literal(true).exactOptional(),
  fingerprint: text.max(limits.patternFingerprintMax),
  wins: count,
  losses: count,
  without: z.strictObject({ wins: count, losses: count }),
  evidence: names,
  seenIn: names,
  wonIn: names,
  story: z.array(z.strictObject({ atMs: count, what: text })).max(limits.patternListMax),
  createdAtMs: count,
  updatedAtMs: count,
});

/** Everything that the module stores, with the form of what comes from other instances. */
export const collections: NonNullable<Module['collections']> = [
  { ...patternsCollection(), value: pattern },
  ...trialCollections,
];
