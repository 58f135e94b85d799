import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';

/** The input count includes cache reads, but not tool results of the provider; the output count excludes thoughts. */
export function usageOf(interaction: JsonObject): Usage {
  const counts = objectOf(interaction.usage) ?? {};
  const input = countOf(counts.total_input_tokens);
  const read = countOf(counts.total_cached_tokens);
  const output = countOf(counts.total_output_tokens);
  const thought = countOf(counts.total_thought_tokens);
  const hasCounts = input !== undefined || output !== undefined || thought !== undefined;
  return omitUndefined({
    input_tokens: hasCounts
      ? Math.max(0, (input ?? 0) - (read ?? 0)) + (countOf(counts.total_tool_use_tokens) ?? 0)
      : undefined,
    output_tokens: hasCounts ? (output ?? 0) + (thought ?? 0) : undefined,
    cache_read_input_tokens: read,
    output_tokens_details: thought === undefined ? undefined : { thinking_tokens: thought },
    input_audio_tokens: audioTokensIn(counts.input_tokens_by_modality),
    output_audio_tokens: audioTokensIn(counts.output_tokens_by_modality),
    server_tool_use: searchesIn(counts, stringOf(interaction.model) ?? ''),
    service_tier: tierOf(interaction),
  });
}

function audioTokensIn(tokensByModality: unknown): number | undefined {
  const audio = objectsOf(tokensByModality).find(({ modality }) => modality === 'audio');
  return countOf(audio?.tokens) || undefined;
}

/** Newer models bill each search, older ones once per answer. */
function searchesIn(counts: JsonObject, model: string): Usage['server_tool_use'] | undefined {
  const found = objectsOf(counts.grounding_tool_count).find(({ type }) => type === 'google_search');
  const count = countOf(found?.count) ?? 0;
  if (count === 0) return undefined;
  return { web_search_requests: /gemini-[12]\b/.test(model) ? 1 : count };
}

function tierOf({ service_tier }: JsonObject): string | undefined {
  const tier = stringOf(service_tier)?.toLowerCase();
  return tier === 'standard' ? undefined : tier;
}

export function encodeUsage(usage: Usage): JsonObject {
  const read = usage.cache_read_input_tokens ?? 0;
  const input = (usage.input_tokens ?? 0) + read + (usage.cache_creation_input_tokens ?? 0);
  const output = usage.output_tokens ?? 0;
  const thought = Math.min(usage.output_tokens_details?.thinking_tokens ?? 0, output);
  return {
    total_input_tokens: input,
    total_cached_tokens: read,
    total_output_tokens: output - thought,
    total_thought_tokens: thought,
    total_tool_use_tokens: 0,
    total_tokens: input + output,
  };
}
