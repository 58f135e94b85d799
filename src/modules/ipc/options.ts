import { z } from 'zod';
import { parseDuration } from '../../module-api.ts';

const dayS = 86_400;

export const ipcOptions = z.strictObject({
  target: z.coerce
    .number('must be a share of the window, or a number of tokens')
    .refine((target) => (target > 0 && target <= 1) || (target >= 1000 && target <= 10_000_000), {
      message: 'must be a share of the window up to 1, or a number of tokens from 1000',
    })
    .describe("What a request may grow to: a share of the model's window, or a number of tokens from 1000 on")
    .default(0.5),
  keep_turns: z.coerce
    .number('must be a number of turns')
    .int()
    .min(1)
    .max(100)
    .describe('The newest turns, which stay as they are')
    .default(6),
  style: z
    .enum(['extract', 'model'], 'must be extract or model')
    .describe('How old turns are told: in their own words, or by a model')
    .default('extract'),
  model: z
    .string()
    .max(256)
    .describe('With `style=model`, the model that writes; unless it is said, the one that the call is for')
    .optional(),
  archive: z
    .string()
    .transform((text, context) => {
      const seconds = parseDuration(text);
      if (seconds !== undefined && seconds >= 3600 && seconds <= 365 * dayS) return seconds;
      context.addIssue('must be a duration from 1h to 365d');
      return z.NEVER;
    })
    .describe('How long what was left out can be read, from 1h to 365d')
    .prefault('30d'),
  scope: z
    .enum(['user', 'account'], 'must be user or account')
    .describe('Whose what was left out is: the end user whom a request names, or the whole `account`')
    .default('user'),
});

export type IpcOptions = z.infer<typeof ipcOptions>;
