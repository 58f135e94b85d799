import type { JsonObject } from '../../kernel/json.ts';
import type { Usage } from '../../kernel/message.ts';
import { usageFromCounts } from '../openai-usage.ts';
import { numberOf, objectOf } from '../read.ts';

export function usageOf(usage: JsonObject): Usage {
  const input = objectOf(usage.input_tokens_details);
  return usageFromCounts({
    prompt: numberOf(usage.input_tokens),
    completion: numberOf(usage.output_tokens),
    total: numberOf(usage.total_tokens),
    read: numberOf(input?.cached_tokens),
    written: numberOf(input?.cache_write_tokens),
    thought: numberOf(objectOf(usage.output_tokens_details)?.reasoning_tokens),
  });
}

export function encodeUsage(usage: Usage): JsonObject {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const input = (usage.input_tokens ?? 0) + read + written;
  const output = usage.output_tokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: read, ...(written > 0 && { cache_write_tokens: written }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.output_tokens_details?.thinking_tokens ?? 0 },
    total_tokens: input + output,
  };
}
