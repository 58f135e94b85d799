import type { Exchange, Kit } from '../../module-api.ts';
import type { ConversationCosts } from './conversation-costs.ts';
import { answerTokensMax, charsPerToken, windowShare } from './limits.ts';
import type { IpcOptions } from './options.ts';

/** The target size of a request; undefined if the target is a share of an unknown context window. */
export function targetCharsOf(
  { request, target }: Exchange,
  { options, catalog }: Pick<Kit<IpcOptions>, 'options' | 'catalog'>,
): number | undefined {
  const { contextTokens } = catalog.priceOf(target) ?? {};
  if (options.target > 1) return options.target * charsPerToken;
  if (contextTokens === undefined) return undefined;
  const room = contextTokens * windowShare - (request.max_tokens ?? 0);
  return Math.min(options.target * contextTokens, Math.max(room, contextTokens / 4)) * charsPerToken;
}

/**
 * The size above which a request must be compacted to fit into the context window; undefined if the window is unknown. Once the
 * provider has counted tokens of the conversation, it is the size that the provider would reject: earlier, a step may cost more
 * than it saves.
 */
export function windowCharsOf(
  { request, target }: Exchange,
  { catalog }: Pick<Kit<IpcOptions>, 'catalog'>,
  { calls, ratio }: Pick<ConversationCosts, 'calls' | 'ratio'>,
): number | undefined {
  const { contextTokens } = catalog.priceOf(target) ?? {};
  if (contextTokens === undefined) return undefined;
  const { max_tokens: answerTokens = 0 } = request;
  const tokens =
    calls > 0
      ? contextTokens - Math.min(answerTokens, answerTokensMax)
      : contextTokens * windowShare - answerTokens;
  return (tokens * charsPerToken) / ratio;
}
