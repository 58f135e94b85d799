import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf } from '../json-values.ts';
import { billingOf, usageFromCounts } from '../openai/usage.ts';

/** The usage of a response; its searches are billed one by one and counted from its items. */
export function usageOf(answer: JsonObject): Usage {
  const usage = objectOf(answer.usage) ?? {};
  const input = objectOf(usage.input_tokens_details);
  const counts = usageFromCounts({
    prompt: countOf(usage.input_tokens),
    completion: countOf(usage.output_tokens),
    total: countOf(usage.total_tokens),
    cacheRead: countOf(input?.cached_tokens),
    cacheWrite: countOf(input?.cache_write_tokens),
    reasoning: countOf(objectOf(usage.output_tokens_details)?.reasoning_tokens),
  });
  return { ...counts, ...billingOf(usage, answer), ...searchesIn(objectsOf(answer.output)) };
}

/** Opening a page and searching in it are part of the search that found it. */
function searchesIn(output: readonly JsonObject[]): Pick<Usage, 'server_tool_use'> {
  const web = output.filter(
    ({ type, action }) => type === 'web_search_call' && (objectOf(action)?.type ?? 'search') === 'search',
  ).length;
  const files = output.filter(({ type }) => type === 'file_search_call').length;
  if (web + files === 0) return {};
  return { server_tool_use: { web_search_requests: web, file_search_requests: files } };
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
