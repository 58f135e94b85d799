import { z } from 'zod';
import { autoOption, holdoutOption } from '../../module-api.ts';

export const rehydratorOptions = z.strictObject({
  budget_tokens: z.coerce
    .number('must be a number of tokens')
    .int('must be a whole number')
    .min(100, 'must be 100 or more')
    .max(20_000, 'must be 20000 or less')
    .describe('Maximum size of what is appended to one turn, in tokens of four bytes')
    .default(2000),
  min_score: z.coerce
    .number('must be a number')
    .min(0, 'must be 0 to 1')
    .max(1, 'must be 0 to 1')
    .describe('How sure it must be that a turn refers to an archived passage, from 0 to 1')
    .default(0.5),
  scope: z
    .enum(['conversation', 'user', 'account'], 'must be conversation, user or account')
    .describe(
      'Where passages may come from: this `conversation`, all conversations of the end `user` whom the request names, or also those that belong to the whole `account`',
    )
    .default('conversation'),
  holdout: holdoutOption,
  auto: autoOption,
});

export type RehydratorOptions = z.output<typeof rehydratorOptions>;
