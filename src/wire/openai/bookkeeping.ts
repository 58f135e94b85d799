/** What OpenAI's requests may have that says nothing about the answer. */
export const openaiBookkeeping: readonly string[] = [
  'user',
  'safety_identifier',
  'metadata',
  'stream_options',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
];
