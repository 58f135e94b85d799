import { z } from 'zod';
import type { UsageBatch } from '../../kernel/ports/records.ts';

const trialSums = z.object({ conversations: z.number(), costNanoUsd: z.number(), squaredUsd: z.number() });

const usageSums = {
  requests: z.number(),
  failed: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costNanoUsd: z.number(),
};

const usageDay = z.object({
  accountId: z.string(),
  day: z.string(),
  keyId: z.string(),
  provider: z.string(),
  model: z.string(),
  ...usageSums,
});

const tagDay = z.object({
  accountId: z.string(),
  day: z.string(),
  tag: z.string(),
  value: z.string(),
  ...usageSums,
});

const budgetHour = z.object({
  accountId: z.string(),
  budgetId: z.string(),
  value: z.string(),
  hourMs: z.number(),
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
  calls: z.number().default(0),
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

const batchRows = z.array(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('days'), row: usageDay }),
    z.object({ kind: z.literal('counted'), row: quotaCalls }),
    z.object({ kind: z.literal('modules'), row: moduleDay }),
    z.object({ kind: z.literal('tags'), row: tagDay }),
    z.object({ kind: z.literal('budgetHours'), row: budgetHour }),
    z.object({ kind: z.literal('settled'), row: settledAmount }),
  ]),
);

/** The list of a batch that a row belongs to. */
export type RowKind = z.infer<typeof batchRows>[number]['kind'];

/** A row of a batch, whose figures change. */
export interface NumberedRow {
  /** Its number in the batch. */
  readonly number: number;
  readonly kind: RowKind;
  readonly row: object;
  /** Whether an earlier line contains it. */
  readonly isWritten: boolean;
}

/** The figures that change in a row; rows of modules change as a whole. */
const figureNames: Readonly<Partial<Record<string, readonly string[]>>> = {
  days: Object.keys(usageSums),
  tags: Object.keys(usageSums),
  budgetHours: ['costNanoUsd'],
  counted: ['calls', 'paidPast'],
  settled: ['amount'],
};

const journalLine = z.object({
  rows: z.array(z.object({ number: z.int(), kind: z.string(), row: z.record(z.string(), z.unknown()) })),
  /** The number of an earlier row, then its figures. */
  figures: z.array(z.tuple([z.int()], z.number().nullable())),
});

/** The journal line for rows that changed: whole rows, and the figures of rows that earlier lines contain. */
export function journalLineOf(changed: readonly NumberedRow[]): string {
  const rows: object[] = [];
  const figures: unknown[][] = [];
  for (const { number, kind, row, isWritten } of changed) {
    const names = isWritten ? figureNames[kind] : undefined;
    if (names === undefined) rows.push({ number, kind, row });
    else figures.push([number, ...names.map((name) => Reflect.get(row, name))]);
  }
  return `${JSON.stringify({ rows, figures })}\n`;
}

/** The rows of a journal. The last line is left out if a kill has cut it; throws if another line has a wrong form. */
export function readJournal(text: string): Omit<UsageBatch, 'id' | 'atMs'> {
  const latest = new Map<number, { readonly kind: string; readonly row: object }>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { rows, figures } = journalLine.parse(JSON.parse(line));
    for (const { number, kind, row } of rows) latest.set(number, { kind, row });
    for (const [number, ...values] of figures) {
      const { kind = '', row = {} } = latest.get(number) ?? {};
      const changed = figureNames[kind]?.map((name, index) => [name, values[index] ?? undefined]) ?? [];
      latest.set(number, { kind, row: { ...row, ...Object.fromEntries(changed) } });
    }
  }
  const all = batchRows.parse([...latest.values()]);
  return {
    days: all.flatMap(({ kind, row }) => (kind === 'days' ? [row] : [])),
    counted: all.flatMap(({ kind, row }) => (kind === 'counted' ? [row] : [])),
    modules: all.flatMap(({ kind, row }) => (kind === 'modules' ? [row] : [])),
    tags: all.flatMap(({ kind, row }) => (kind === 'tags' ? [row] : [])),
    budgetHours: all.flatMap(({ kind, row }) => (kind === 'budgetHours' ? [row] : [])),
    settled: all.flatMap(({ kind, row }) => (kind === 'settled' ? [row] : [])),
  };
}
