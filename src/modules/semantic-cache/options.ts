import { z } from 'zod';
import { autoOption, cachedBytesOption, cacheScopeOption, ttlOption } from '../../module-api.ts';

const share = (what: string, most: number) =>
  z.coerce
    .number(`must be a number from 0 to ${most}`)
    .min(0, `must be a number from 0 to ${most}`)
    .max(most, `must be a number from 0 to ${most}`)
    .describe(what);

export const semanticCacheOptions = z.strictObject({
  ttl: ttlOption,
  error: share('Maximum share of served answers that may be wrong, from 0 to 0.2', 0.2).default(0.02),
  threshold: share('Minimum cosine similarity of candidates, from 0 to 1', 1).default(0.8),
  current: z
    .enum(['bypass', 'allow'], 'must be bypass or allow')
    .describe(
      'What happens to prompts about current data: `bypass` calls the provider, `allow` uses the cache',
    )
    .default('bypass'),
  shadow: share('Share of hits that still call the provider, to compare the answers, from 0 to 1', 1).default(
    0.02,
  ),
  scope: cacheScopeOption,
  tokens_max: z.coerce
    .number('must be a number of tokens')
    .int()
    .min(4)
    .max(126)
    .describe('Longer prompts are only matched exactly')
    .default(62),
  max_bytes: cachedBytesOption,
  auto: autoOption,
});

export type SemanticCacheOptions = z.output<typeof semanticCacheOptions>;
