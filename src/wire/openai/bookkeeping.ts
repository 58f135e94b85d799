/** Fields of OpenAI's requests that don't affect the answer. */
export const openaiBookkeeping: readonly string[] = [
  'user',
  'safety_identifier',
  'metadata',
  'stream_options',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
];
