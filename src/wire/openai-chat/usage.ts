import type { JsonObject } from '../../kernel/json.ts';
import type { Usage } from '../../kernel/message.ts';
import { billingOf, usageFromCounts } from '../openai/usage.ts';
import { numberOf, objectOf } from '../read.ts';

/** Compatible providers have their own places for some counts; `answer` is where the usage was found. */
export function usageOf(usage: JsonObject, answer: JsonObject): Usage {
  const prompt = objectOf(usage.prompt_tokens_details);
  const completion = objectOf(usage.completion_tokens_details);
  const counts = usageFromCounts({
    prompt: numberOf(usage.prompt_tokens),
    completion: numberOf(usage.completion_tokens),
    total: numberOf(usage.total_tokens),
    read:
      numberOf(prompt?.cached_tokens) ??
      numberOf(usage.cache_read_input_tokens) ??
      numberOf(usage.prompt_cache_hit_tokens) ??
      numberOf(usage.cached_tokens) ??
      numberOf(usage.num_cached_tokens),
    written: numberOf(prompt?.cache_write_tokens) ?? numberOf(usage.cache_creation_input_tokens),
    thought: numberOf(completion?.reasoning_tokens) ?? numberOf(usage.reasoning_tokens),
    heard: numberOf(prompt?.audio_tokens),
    spoken: numberOf(completion?.audio_tokens),
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
