import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, numberOf, objectOf } from '../json-values.ts';
import { billingOf, longCacheWriteIn, usageFromCounts } from '../openai/usage.ts';

/** Compatible providers put some counts elsewhere; `answer` is the object that contains the usage. */
export function usageOf(usage: JsonObject, answer: JsonObject): Usage {
  const prompt = objectOf(usage.prompt_tokens_details);
  const completion = objectOf(usage.completion_tokens_details);
  const counts = usageFromCounts({
    prompt: countOf(usage.prompt_tokens),
    completion: countOf(usage.completion_tokens),
    total: countOf(usage.total_tokens),
    cacheRead:
      countOf(prompt?.cached_tokens) ??
      countOf(usage.cache_read_input_tokens) ??
      countOf(usage.prompt_cache_hit_tokens) ??
      countOf(usage.cached_tokens) ??
      countOf(usage.num_cached_tokens),
    cacheWrite: countOf(prompt?.cache_write_tokens) ?? countOf(usage.cache_creation_input_tokens),
    longCacheWrite: longCacheWriteIn(prompt),
    reasoning: countOf(completion?.reasoning_tokens) ?? countOf(usage.reasoning_tokens),
    audioInput: countOf(prompt?.audio_tokens) ?? countOf(usage.audio_tokens),
    audioInputSeconds: numberOf(usage.prompt_audio_seconds),
    audioOutput: countOf(completion?.audio_tokens),
  });
  return { ...counts, ...billingOf(usage, answer) };
}

export function encodeUsage(usage: Usage): JsonObject {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const prompt = (usage.input_tokens ?? 0) + read + written;
  const completion = usage.output_tokens ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: read, ...(written > 0 && { cache_write_tokens: written }) },
    completion_tokens_details: { reasoning_tokens: usage.output_tokens_details?.thinking_tokens ?? 0 },
  };
}
