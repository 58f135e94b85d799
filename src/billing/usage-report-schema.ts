import { z } from 'zod';

const usageFields = {
  requests: z.int().describe('Without calls that the gateway rejected, which are in the request log alone'),
  failed: z.int().describe('Requests that failed'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_usd: z.string().describe('In dollars, as a decimal number'),
};

const modelUsageSchema = z.object({ provider: z.string(), model: z.string(), ...usageFields });

const usdSchema = z.string();
export const holdoutSchema = z
  .object({
    conversations: z.int().describe('Conversations with the module'),
    held_out: z.int().describe('Conversations without it'),
    saved_usd: usdSchema.nullable(),
    low_usd: usdSchema.nullable(),
    high_usd: usdSchema.nullable(),
  })
  .optional()
  .describe(
    'Measured against holdout conversations without the module: the estimated cost without it minus the actual cost, with a 90 % confidence interval that holds at every moment; null while there are too few conversations',
  );

const moduleUsageSchema = z.object({
  module: z.string(),
  saved_usd: usdSchema.describe(
    "As estimated per call, net of the module's own spending and of provider caching; negative if it cost more than it saved",
  ),
  spent_usd: usdSchema.describe(
    "The cost of the module's own model calls, already subtracted from the savings",
  ),
  holdout: holdoutSchema,
  counts: z
    .record(z.string(), z.int())
    .optional()
    .describe('What the module counted, by name, such as the findings of `guardrails` by kind'),
});

/** The schema of a usage report. */
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
    .describe('The usage of the account in its current period'),
});
