import type { Exchange, Kit } from '../../module-api.ts';
import { charsPerToken, windowShare } from './limits.ts';
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

/** Whether a request of this size may exceed the context window; `ratio` is actual per estimated tokens. */
export function fillsWindow(
  chars: number,
  { request, target }: Exchange,
  { catalog, ratio }: Pick<Kit<IpcOptions>, 'catalog'> & { readonly ratio: number },
): boolean {
  const { contextTokens } = catalog.priceOf(target) ?? {};
  if (contextTokens === undefined) return false;
  const tokens = (chars / charsPerToken) * ratio + (request.max_tokens ?? 0);
  return tokens > contextTokens * windowShare;
}
