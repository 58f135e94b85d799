import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';

/** `inputTokens` excludes cache reads and writes; `answer` is the object that contains the usage. */
export function usageOf(answer: JsonObject): Usage {
  const usage = objectOf(answer.usage) ?? {};
  const tier = stringOf(objectOf(answer.serviceTier)?.type);
  const details = objectsOf(usage.cacheDetails);
  const written = (ttl: string) => {
    const counts = details
      .filter((detail) => detail.ttl === ttl)
      .flatMap(({ inputTokens }) => countOf(inputTokens) ?? []);
    return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
  };
  const hour = written('1h');
  return omitUndefined({
    input_tokens: countOf(usage.inputTokens),
    output_tokens: countOf(usage.outputTokens),
    cache_read_input_tokens: countOf(usage.cacheReadInputTokens),
    cache_creation_input_tokens: countOf(usage.cacheWriteInputTokens),
    cache_creation:
      hour === undefined
        ? undefined
        : { ephemeral_5m_input_tokens: written('5m') ?? 0, ephemeral_1h_input_tokens: hour },
    service_tier: tier === 'default' ? undefined : tier,
  });
}
