import { z } from 'zod';
import { autoOption, holdoutOption } from '../../module-api.ts';

export const promptOptimizerOptions = z.strictObject({
  markers: z
    .enum(['auto', 'off'], 'must be auto or off')
    .describe(
      'With `auto`, sets cache markers where the provider needs them, the client set none and they are expected to pay; and `prompt_cache_key` where the provider accepts one',
    )
    .default('auto'),
  ttl: z
    .enum(['auto', '5m', '1h'], 'must be auto, 5m or 1h')
    .describe(
      'Lifetime of the markers that it sets: `auto` by the pauses between the calls of this conversation and of others like it',
    )
    .default('auto'),
  minify: z
    .enum(['safe', 'off'], 'must be safe or off')
    .describe('With `safe`, removes what carries no meaning from new tool results')
    .default('safe'),
  stable: z
    .enum(['auto', 'off'], 'must be auto or off')
    .describe(
      'With `auto`, sends tools in the order, and instructions with the dates and numbers, of the first call; the newest turn has lines that changed',
    )
    .default('auto'),
  holdout: holdoutOption,
  auto: autoOption,
});

export type PromptOptimizerOptions = z.infer<typeof promptOptimizerOptions>;
