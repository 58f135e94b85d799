import { hash } from 'node:crypto';
import { type Exchange, endUserOf, type Kit } from '../../module-api.ts';
import { checkPrompt, type PromptEligibility } from './candidate-selection.ts';
import type { SemanticCacheOptions } from './options.ts';
import type { ParsedPromptCache } from './text/parsed-prompt-cache.ts';

/** What a call asks, as it is looked up. */
export interface CacheQuery {
  /** Of this question for this person: where its answer is kept. */
  readonly key: string;
  /** The newest words, where they can be looked up by their meaning. */
  readonly newestPrompt: NewestPrompt | undefined;
  /** Why they can't be. */
  readonly bypass: string | undefined;
}

interface NewestPrompt {
  readonly text: string;
  readonly prompt: NonNullable<PromptEligibility['prompt']>;
  /** Where everything but the newest words is the same, and the person. */
  readonly part: string;
}

export async function createCacheQuery(
  exchange: Exchange,
  kit: Kit<SemanticCacheOptions>,
  prompts: ParsedPromptCache,
): Promise<CacheQuery> {
  const person = kit.options.scope === 'account' ? '' : endUserOf(exchange.clientRequest);
  const conversationContext = await kit.contextKey(exchange);
  if (conversationContext === undefined)
    return {
      key: hashKey('call', person, await kit.requestKey(exchange)),
      newestPrompt: undefined,
      bypass: 'turn',
    };
  const { text } = conversationContext;
  const part = hashKey('part', person, conversationContext.key);
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
