import { z } from 'zod';

const usageFields = {
  requests: z.int(),
  failed: z.int().describe('Of those, the ones without an answer'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_usd: z.string().describe('In dollars, as a decimal number'),
};

const modelUsageSchema = z.object({ provider: z.string(), model: z.string(), ...usageFields });

const usdSchema = z.string();
const moduleUsageSchema = z.object({
  module: z.string(),
  saved_usd: usdSchema.describe(
    'By the word of each call, net of what the module itself spent and of what providers keep of prompts; less than 0 where it cost more',
  ),
  spent_usd: usdSchema.describe('What its own questions to models cost, which is taken off already'),
  holdout: z
    .object({
      conversations: z.int().describe('With the module'),
      held_out: z.int().describe('Without it'),
      saved_usd: usdSchema.nullable(),
      low_usd: usdSchema.nullable(),
      high_usd: usdSchema.nullable(),
    })
    .optional()
    .describe(
      'Where some conversations went without the module: what the others would have cost without it, less what they cost, with an interval of 90 %; null while there are too few',
    ),
});

/** What a report on usage looks like. */
export const usageReportSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  total: z.object(usageFields),
  days: z.array(
    z.object({
      day: z.iso.date(),
      ...usageFields,
      models: z.array(modelUsageSchema),
      modules: z.array(moduleUsageSchema),
    }),
  ),
  models: z.array(modelUsageSchema),
  modules: z.array(moduleUsageSchema),
  keys: z.array(z.object({ key_id: z.string().nullable(), ...usageFields })),
  quota: z
    .object({
      limit: z.int(),
      used: z.int(),
      remaining: z.int(),
      period_start: z.iso.datetime(),
      period_end: z.iso.datetime(),
    })
    .optional()
    .describe('Where the account stands in its period'),
});
