import type { Usage } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, numberOf, objectOf, omitUndefined } from '../json-values.ts';
import { billingOf } from '../openai/usage.ts';

/** The usage of a response. Its counts of sound and pictures include the cached ones; ours don't. */
export function realtimeUsageOf(response: JsonObject): Usage | undefined {
  const usage = objectOf(response.usage);
  if (usage === undefined) return undefined;
  const input = objectOf(usage.input_token_details) ?? objectOf(usage.input_tokens_details) ?? {};
  const output = objectOf(usage.output_token_details) ?? objectOf(usage.output_tokens_details) ?? {};
  const cached = objectOf(input.cached_tokens_details) ?? {};
  const all = countOf(usage.input_tokens);
  const read = countOf(input.cached_tokens) ?? 0;
  const uncached = (kind: string) => Math.max(0, (countOf(input[kind]) ?? 0) - (countOf(cached[kind]) ?? 0));
  return omitUndefined({
    input_tokens: all === undefined ? undefined : Math.max(0, all - read),
    output_tokens: countOf(usage.output_tokens),
    cache_read_input_tokens: positive(read),
    input_audio_tokens: positive(uncached('audio_tokens')),
    input_image_tokens: positive(uncached('image_tokens')),
    cache_read_audio_tokens: positive(countOf(cached.audio_tokens)),
    cache_read_image_tokens: positive(countOf(cached.image_tokens)),
    output_audio_tokens: positive(countOf(output.audio_tokens)),
    ...billingOf(usage, response),
  });
}

/** The usage of a transcription: tokens, or seconds. */
export function transcriptUsageOf(usage: JsonObject): Usage | undefined {
  const seconds = numberOf(usage.seconds);
  const input = countOf(usage.input_tokens);
  const output = countOf(usage.output_tokens);
  if (input === undefined && output === undefined && seconds === undefined) return undefined;
  return omitUndefined({
    input_tokens: input,
    output_tokens: output,
    input_audio_tokens: positive(countOf(objectOf(usage.input_token_details)?.audio_tokens)),
    units: seconds === undefined ? undefined : { seconds },
  });
}

function positive(count: number | undefined): number | undefined {
  return count === 0 ? undefined : count;
}
