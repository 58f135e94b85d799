import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { markTexts } from '../../kernel/scan/scan.ts';

const daySeconds = 86_400;

/** How long OpenAI caches the prompt: a day if `prompt_cache_retention` is `24h`, else as it likes. */
export function promptCacheSeconds({ extensions = {} }: ChatRequest): number | undefined {
  const fields = Object.values(extensions);
  return fields.some((field) => field.prompt_cache_retention === '24h') ? daySeconds : undefined;
}

const twelveHours = markTexts('12h"');

/** False if neither the options of the request nor any part of its input has a cache lifetime of `12h`. */
export function mayHaveTwelveHourCache({ fields }: ClientRequest): boolean {
  return fields.mayHave(twelveHours);
}
