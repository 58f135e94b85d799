import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';

/**
 * Google omits zero counts. The prompt count includes cache reads, but not tool results of the provider; the output
 * count excludes thoughts.
 */
export function usageOf(counts: JsonObject): Usage {
  const prompt = countOf(counts.promptTokenCount);
  const read = countOf(counts.cachedContentTokenCount);
  const thought = countOf(counts.thoughtsTokenCount);
  const answer = countOf(counts.candidatesTokenCount);
  const hasCounts = prompt !== undefined || answer !== undefined || thought !== undefined;
  return omitUndefined({
    input_tokens: hasCounts ? inputTokensOf(counts, prompt ?? 0, read ?? 0) : undefined,
    output_tokens: hasCounts ? (answer ?? 0) + (thought ?? 0) : undefined,
    cache_read_input_tokens: read,
    output_tokens_details: thought === undefined ? undefined : { thinking_tokens: thought },
    input_audio_tokens: audioTokensIn(counts.promptTokensDetails),
    output_audio_tokens: audioTokensIn(counts.candidatesTokensDetails),
    service_tier: tierOf(counts),
  });
}

function inputTokensOf(counts: JsonObject, prompt: number, read: number): number {
  return Math.max(0, prompt - read) + (countOf(counts.toolUsePromptTokenCount) ?? 0);
}

function audioTokensIn(details: unknown): number | undefined {
  const audio = objectsOf(details).find(({ modality }) => modality === 'AUDIO');
  const tokens = countOf(audio?.tokenCount);
  return tokens === 0 ? undefined : tokens;
}

/** Google's API reports a service tier, Vertex AI a traffic type. The default of both has names too. */
function tierOf({ serviceTier, trafficType }: JsonObject): string | undefined {
  const tier = tierNamed(stringOf(serviceTier) ?? stringOf(trafficType) ?? '');
  return defaultTiers.has(tier) ? undefined : tier;
}

/** `priority` for `SERVICE_TIER_PRIORITY` and `ON_DEMAND_PRIORITY`. */
function tierNamed(name: string): string {
  return name.toLowerCase().replace(/^(?:service_tier|on_demand|traffic_type)_/, '');
}

const defaultTiers: ReadonlySet<string> = new Set(['', 'standard', 'unspecified', 'on_demand']);

/** Billed searches: newer models bill each, older ones once per response. Google Maps has a price of its own. */
export function searchesIn(candidate: JsonObject, model: string): Pick<Usage, 'server_tool_use'> {
  const metadata = objectOf(candidate.groundingMetadata);
  const queries = metadata?.webSearchQueries;
  const count = Array.isArray(queries) ? queries.length : 0;
  const isMapUsed = objectsOf(metadata?.groundingChunks).some(({ maps }) => maps != null);
  if (count === 0 && !isMapUsed) return {};
  return {
    server_tool_use: {
      ...(count > 0 && { web_search_requests: /gemini-[12]\b/.test(model) ? 1 : count }),
      ...(isMapUsed && { unpriced_requests: 1 }),
    },
  };
}

export function encodeUsage(usage: Usage): JsonObject {
  const read = usage.cache_read_input_tokens ?? undefined;
  const prompt = (usage.input_tokens ?? 0) + (read ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  const output = usage.output_tokens ?? 0;
  const thinkingTokens = usage.output_tokens_details?.thinking_tokens ?? undefined;
  const thought = thinkingTokens === undefined ? undefined : Math.min(thinkingTokens, output);
  return omitUndefined({
    promptTokenCount: prompt,
    candidatesTokenCount: output - (thought ?? 0),
    totalTokenCount: prompt + output,
    cachedContentTokenCount: read,
    thoughtsTokenCount: thought,
  });
}
