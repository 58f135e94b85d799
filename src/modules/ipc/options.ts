import { z } from 'zod';
import { autoOption, durationText, holdoutOption, parseDuration } from '../../module-api.ts';

const dayS = 86_400;

export const ipcOptions = z.strictObject({
  target: z.coerce
    .number('must be a share of the window, or a number of tokens')
    .refine((target) => (target > 0 && target <= 1) || (target >= 1000 && target <= 10_000_000), {
      message: 'must be a share of the window up to 1, or a number of tokens from 1000',
    })
    .describe(
      "Maximum size of a request: a share of the model's context window, or a number of tokens from 1000",
    )
    .default(0.5),
  hold: z
    .enum(['on', 'off'], 'must be on or off')
    .describe(
      '`on` keeps requests below `target` at any cost, as far as the newest turn allows; `off` waits until a change pays or costs nothing',
    )
    .default('off'),
  keep_turns: z.coerce
    .number('must be a number of turns')
    .int()
    .min(1)
    .max(100)
    .describe('How many of the newest turns are never changed')
    .default(6),
  style: z
    .enum(['extract', 'model'], 'must be extract or model')
    .describe('How old turns are summarized: `extract` selects sentences, `model` has a model write')
    .default('extract'),
  model: z
    .string()
    .max(256)
    .describe('With `style=model`, the model that writes summaries (default: the model of the call)')
    .optional(),
  archive: durationText()
    .transform((text, context) => {
      const seconds = parseDuration(text);
      if (seconds !== undefined && seconds >= 3600 && seconds <= 365 * dayS) return seconds;
      context.addIssue('must be a duration from 1h to 365d');
      return z.NEVER;
    })
    .describe('How long omitted content can be read, from 1h to 365d')
    .prefault('30d'),
  scope: z
    .enum(['user', 'account'], 'must be user or account')
    .describe('Who can read omitted content: the end `user` named by the request, or the whole `account`')
    .default('user'),
  holdout: holdoutOption,
  auto: autoOption,
});

export type IpcOptions = z.infer<typeof ipcOptions>;
