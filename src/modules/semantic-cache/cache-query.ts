import { hash } from 'node:crypto';
import { type Exchange, endUserOf, type Kit } from '../../module-api.ts';
import { checkPrompt, type PromptEligibility } from './candidate-selection.ts';
import type { SemanticCacheOptions } from './options.ts';
import type { ParsedPromptCache } from './text/parsed-prompt-cache.ts';

/** What to look up for a call. */
export interface CacheQuery {
  /** The cache key of the exact request, per end user if so configured. */
  readonly key: string;
  /** The newest user text, if it may be matched by meaning. */
  readonly newestPrompt: NewestPrompt | undefined;
  /** Why it may not. */
  readonly bypass: string | undefined;
}

interface NewestPrompt {
  readonly text: string;
  readonly prompt: NonNullable<PromptEligibility['prompt']>;
  /** The vector partition: everything but the newest user text, and the end user. */
  readonly part: string;
}

export async function createCacheQuery(
  exchange: Exchange,
  kit: Kit<SemanticCacheOptions>,
  prompts: ParsedPromptCache,
): Promise<CacheQuery> {
  const endUser = kit.options.scope === 'account' ? '' : endUserOf(exchange.clientRequest);
  const conversationContext = await kit.contextKey(exchange);
  if (conversationContext === undefined)
    return {
      key: hashKey('call', endUser, await kit.requestKey(exchange)),
      newestPrompt: undefined,
      bypass: 'turn',
    };
  const { text } = conversationContext;
  const part = hashKey('part', endUser, conversationContext.key);
  const { prompt: parsedPrompt, bypass } = checkPrompt(text, kit.options, prompts);
  return {
    key: hashKey('text', part, text),
    newestPrompt: parsedPrompt === undefined ? undefined : { text, prompt: parsedPrompt, part },
    bypass,
  };
}

function hashKey(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
