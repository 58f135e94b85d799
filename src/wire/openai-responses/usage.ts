import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf, stringOf } from '../json-values.ts';
import { billingOf, longCacheWriteIn, usageFromCounts } from '../openai/usage.ts';

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
    longCacheWrite: longCacheWriteIn(input),
    reasoning: countOf(objectOf(usage.output_tokens_details)?.reasoning_tokens),
  });
  return { ...counts, ...billingOf(usage, answer), ...toolUsesIn(answer) };
}

/** The uses of OpenAI's own tools. Code interpreters and image generation have prices that aren't known here. */
function toolUsesIn(answer: JsonObject): Pick<Usage, 'server_tool_use'> {
  const output = objectsOf(answer.output);
  if (!output.some(({ type }) => typeof type === 'string' && providerTools.test(type))) return {};
  const count = (kind: string) => output.filter(({ type }) => type === kind).length;
  const web = webSearchesIn(answer, output);
  const isPreview = objectsOf(answer.tools).some((tool) =>
    stringOf(tool.type)?.startsWith('web_search_preview'),
  );
  const unpriced = count('code_interpreter_call') + count('image_generation_call');
  return {
    server_tool_use: {
      ...(isPreview ? { preview_search_requests: web } : { web_search_requests: web }),
      file_search_requests: count('file_search_call'),
      ...(unpriced > 0 && { unpriced_requests: unpriced }),
    },
  };
}

const providerTools = /^(?:web_search|file_search|code_interpreter|image_generation)_call$/;

/** Newer answers report the billed searches. Opening a page and searching in it are part of the search that found it. */
function webSearchesIn({ tool_usage }: JsonObject, output: readonly JsonObject[]): number {
  const reported = countOf(objectOf(objectOf(tool_usage)?.web_search)?.num_requests);
  if (reported !== undefined) return reported;
  return output.filter(
    ({ type, action }) => type === 'web_search_call' && (objectOf(action)?.type ?? 'search') === 'search',
  ).length;
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
