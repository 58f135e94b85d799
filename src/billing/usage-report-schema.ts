import { z } from 'zod';

const figures = {
  requests: z.int(),
  failed: z.int().describe('Of those, the ones without an answer'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_usd: z.string().describe('In dollars, as a decimal number'),
};

const ofModel = z.object({ provider: z.string(), model: z.string(), ...figures });

/** What a report on usage looks like. */
export const usageReportSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  total: z.object(figures),
  days: z.array(z.object({ day: z.iso.date(), ...figures, models: z.array(ofModel) })),
  models: z.array(ofModel),
  keys: z.array(z.object({ key_id: z.string().nullable(), ...figures })),
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
