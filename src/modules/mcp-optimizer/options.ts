import { z } from 'zod';
import { autoOption, holdoutOption, listText } from '../../module-api.ts';

export const mcpOptimizerOptions = z.strictObject({
  min_tools: z.coerce
    .number('must be a number of tools')
    .int()
    .min(2)
    .max(5000)
    .describe('Do nothing below this number of tools')
    .default(12),
  always: listText()
    .transform((names) => names.split('|').filter((name) => name !== ''))
    .describe('Names of tools that are never omitted, separated by `|`')
    .prefault(''),
  way_back: z
    .enum(['auto', 'find_tools', 'none'], 'must be auto, find_tools or none')
    .describe(
      "How a model reaches omitted tools: `find_tools` with two tools that the gateway answers, `auto` with the provider's own tool search where it has one, `none` not at all",
    )
    .default('auto'),
  holdout: holdoutOption,
  auto: autoOption,
  learn: z
    .enum(['on', 'off'], 'must be on or off')
    .describe('Send tools that were called for similar requests before')
    .default('on'),
  scope: z
    .enum(['person', 'account'], 'must be person or account')
    .describe(
      'Whose calls it learns from: those of the same end user, and of others if at least three did the same (`person`), or all of the `account`',
    )
    .default('person'),
});

export type McpOptimizerOptions = z.infer<typeof mcpOptimizerOptions>;
