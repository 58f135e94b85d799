import { z } from 'zod';
import type { UsageBatch } from '../../kernel/ports/records.ts';

const trialSums = z.object({ conversations: z.number(), costNanoUsd: z.number(), squaredUsd: z.number() });

const usageDay = z.object({
  accountId: z.string(),
  day: z.string(),
  keyId: z.string(),
  provider: z.string(),
  model: z.string(),
  requests: z.number(),
  failed: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costNanoUsd: z.number(),
});

const quotaCalls = z.object({
  accountId: z.string(),
  periodStartMs: z.number(),
  calls: z.number(),
  paidPast: z.number().optional(),
});

const moduleDay = z.object({
  accountId: z.string(),
  day: z.string(),
  module: z.string(),
  savedNanoUsd: z.number(),
  spentNanoUsd: z.number(),
  with: trialSums,
  without: trialSums,
});

const settledAmount = z.object({
  processId: z.string(),
  accountId: z.string(),
  of: z.enum(['calls', 'spending']),
  keyId: z.string(),
  periodStartMs: z.number(),
  amount: z.number(),
});

/** Rows of a batch, each with its number in the batch and its current sums. */
const journalLine = z.array(
  z.union([
    z.tuple([z.int(), z.literal('days'), usageDay]),
    z.tuple([z.int(), z.literal('counted'), quotaCalls]),
    z.tuple([z.int(), z.literal('modules'), moduleDay]),
    z.tuple([z.int(), z.literal('settled'), settledAmount]),
  ]),
);

type JournalRow = z.infer<typeof journalLine>[number];

/** The list of a batch that a row belongs to. */
export type RowKind = JournalRow[1];

/**
 * Reads the journal of a batch. Later lines replace the rows of earlier ones. A kill or a full disk may cut a line, which
 * is skipped; throws if a complete line has another form.
 */
export function readJournal(text: string): Omit<UsageBatch, 'id' | 'atMs'> {
  const latest = new Map<number, JournalRow>();
  for (const line of text.split('\n'))
    for (const row of journalLine.parse(parseLine(line))) latest.set(row[0], row);
  const rows = [...latest.values()];
  return {
    days: rows.flatMap(([, kind, row]) => (kind === 'days' ? [row] : [])),
    counted: rows.flatMap(([, kind, row]) => (kind === 'counted' ? [row] : [])),
    modules: rows.flatMap(([, kind, row]) => (kind === 'modules' ? [row] : [])),
    settled: rows.flatMap(([, kind, row]) => (kind === 'settled' ? [row] : [])),
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return [];
  }
}
