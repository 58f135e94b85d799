import { z } from 'zod';
import { autoOption, holdoutOption } from '../../module-api.ts';

export const compactionBridgeOptions = z.strictObject({
  budget_tokens: z.coerce
    .number('must be a number of tokens')
    .int('must be a whole number')
    .min(100, 'must be 100 or more')
    .max(10_000, 'must be 10000 or less')
    .describe('Maximum size of what is put back after a compaction, in tokens of four bytes')
    .default(1200),
  scope: z
    .enum(['user', 'account'], 'must be user or account')
    .describe(
      'Who can find dropped messages in the archive: the end `user` named by the request, or the whole `account`',
    )
    .default('user'),
  holdout: holdoutOption,
  auto: autoOption,
});

export type CompactionBridgeOptions = z.infer<typeof compactionBridgeOptions>;
