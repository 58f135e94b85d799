import { z } from 'zod';

const count = z.int();

export const importReportSchema = z.strictObject({
  dry_run: z.boolean(),
  complete: z
    .boolean()
    .describe('False while rows of the log are still being written; they follow by themselves'),
  file: z.strictObject({
    product: z.string().describe('The version of Weir that wrote the file'),
    mode: z.enum(['local', 'cloud']),
    account: z.string(),
    created_at: z.iso.datetime(),
  }),
  sections: z.array(
    z.strictObject({
      section: z.string(),
      rows: count,
      added: count,
      unchanged: count.describe('Those that the account has already'),
      conflicts: count.describe('Those that differ from rows of the account, which stay'),
      replaced: count,
      refused: count,
      left: count.describe('Those that no instance imports'),
      conflicting: z.array(z.string()).describe('The first 100 that differ'),
      reasons: z
        .array(z.strictObject({ reason: z.string(), rows: count, first: z.string().nullable() }))
        .describe('Why rows are refused or left'),
    }),
  ),
});
