import { isJsonObject, type JsonObject } from '../../module-api.ts';

/** Request fields that add no input beyond their own value, by the format or provider that defines them. */
const fieldsBySource: Readonly<Record<string, string>> = {
  canonical: `model messages system max_tokens stream tools tool_choice temperature top_p top_k stop_sequences metadata thinking
    output_config context_management extensions`,
  messages: `cache_control compaction diagnostics fallback_credit_token fallbacks inference_geo output_format service_tier speed
    user_profile_id workspace_id betas anthropic_version anthropic_beta`,
  openai: `audio frequency_penalty function_call functions logit_bias logprobs modalities moderation n parallel_tool_calls prediction
    presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier
    seed stop store stream_options top_logprobs user verbosity max_completion_tokens`,
  responses: `access_programs background image include input instructions max_output_tokens max_tool_calls reasoning text truncation`,
  gemini: `contents systemInstruction safetySettings toolConfig generationConfig generationOutputConfig labels serviceTier
    modelArmorConfig`,
  openrouter: 'provider models route transforms usage',
  groq: 'reasoning_format citation_options documents',
  mistral: 'prompt_mode guardrails',
  fireworks: 'context_length_exceeded_behavior speculation',
  together: 'safety_model',
  vllm: `guided_json guided_regex guided_choice guided_grammar structured_outputs chat_template chat_template_kwargs extra_body
    mm_processor_kwargs stop_token_ids`,
  ollama: 'options format keep_alive think',
};

const boundedFields: ReadonlySet<string> = new Set(
  Object.values(fieldsBySource).flatMap((names) => names.split(/\s+/)),
);

/**
 * The first field that may make the provider read input outside the request: stored data, search results, other services.
 * An unknown field counts unless its value is too small to be a reference.
 */
export function findUnboundedField(fields: JsonObject): string | undefined {
  return Object.keys(fields).find((name) => {
    // Nested fields are checked where they are read.
    if (boundedFields.has(name) || name.includes('[') || name.includes('.')) return false;
    const value = fields[name];
    if (name === 'thread' && isJsonObject(value) && value.type === 'create') return false;
    return Array.isArray(value) ? value.length > 0 : isJsonObject(value) || typeof value === 'string';
  });
}
