import { z } from 'zod';
import { cachedBytesOption, ttlOption } from '../../module-api.ts';

const share = (what: string, most: number) =>
  z.coerce
    .number(`must be a number from 0 to ${most}`)
    .min(0, `must be a number from 0 to ${most}`)
    .max(most, `must be a number from 0 to ${most}`)
    .describe(what);

export const semanticCacheOptions = z.strictObject({
  ttl: ttlOption,
  error: share('Of the answers served, the share that may be wrong, from 0 to 0.2', 0.2).default(0.02),
  threshold: share('The least cosine of what is looked at, from 0 to 1', 1).default(0.8),
  current: z
    .enum(['bypass', 'allow'], 'must be bypass or allow')
    .describe(
      'What happens to prompts that ask for something current: `bypass` asks the provider, `allow` looks them up',
    )
    .default('bypass'),
  shadow: share(
    'Of the answers that would be served, the share that is asked for all the same, to compare',
    1,
  ).default(0.02),
  scope: z
    .enum(['person', 'account'], 'must be person or account')
    .describe('Whether what one end user was answered is for that one alone, or for all of the account')
    .default('person'),
  tokens_max: z.coerce
    .number('must be a number of tokens')
    .int()
    .min(4)
    .max(126)
    .describe('Longer prompts are answered from memory only where they are the same')
    .default(62),
  max_bytes: cachedBytesOption,
});

export type SemanticCacheOptions = z.output<typeof semanticCacheOptions>;
