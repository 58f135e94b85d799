import { z } from 'zod';

export const mcpOptimizerOptions = z.strictObject({
  min_tools: z.coerce
    .number('must be a number of tools')
    .int()
    .min(2)
    .max(5000)
    .describe('With fewer tools nothing happens')
    .default(12),
  always: z
    .string()
    .transform((names) => names.split('|').filter((name) => name !== ''))
    .describe('Names of tools that are never left out, with `|` between them')
    .prefault(''),
  way_back: z
    .enum(['auto', 'find_tools', 'none'], 'must be auto, find_tools or none')
    .describe(
      'How a model gets at what was left out: `find_tools` by two tools that the gateway answers, `auto` by what its provider offers for that where it does, `none` not at all',
    )
    .default('auto'),
});

export type McpOptimizerOptions = z.infer<typeof mcpOptimizerOptions>;
