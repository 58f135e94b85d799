import type { ChatRequest } from '../../kernel/message.ts';

const daySeconds = 86_400;

/** How long OpenAI caches the prompt: a day if `prompt_cache_retention` is `24h`, else as it likes. */
export function promptCacheSeconds({ extensions = {} }: ChatRequest): number | undefined {
  const fields = Object.values(extensions);
  return fields.some((field) => field.prompt_cache_retention === '24h') ? daySeconds : undefined;
}
