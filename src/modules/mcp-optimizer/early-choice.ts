import type { ChatRequest, Exchange, Kit } from '../../module-api.ts';

/** Accounts for the answer and the next user message. */
const expectedGrowthFactor = 2;

/**
 * Whether it pays off to omit tools during small talk and choose them at the first request: the savings until then must exceed
 * the cost of sending the small talk again uncached.
 */
export function paysToWait(
  { request, target }: Exchange,
  tokens: number,
  { catalog }: Pick<Kit<unknown>, 'catalog'>,
): boolean {
  const isPriced = (catalog.priceOf(target)?.card.input ?? 0) > 0;
  return isPriced && tokens > expectedGrowthFactor * tokensBesideTools(request);
}

/** Whether `edited`, with the tools for the first request, may be sent, given the savings from omitting tools until now. */
export function mayChooseNow(
  { request, target }: Exchange,
  { edited, tokens }: { readonly edited: ChatRequest; readonly tokens: number },
  { catalog, prefix }: Pick<Kit<unknown>, 'catalog' | 'prefix'>,
): boolean {
  const card = catalog.priceOf(target)?.card;
  if (card === undefined) return false;
  const isUncached = card.cacheRead <= 0;
  // The tools would have been read once at full price.
  const calls = isUncached ? 1 : card.input / card.cacheRead;
  return prefix.proposeStep(edited, {
    calls,
    savesTokens: tokens,
    writesTokens: tokensBesideTools(request),
    isUncached,
  }).isAllowed;
}

function tokensBesideTools({ system, messages }: ChatRequest): number {
  return Buffer.byteLength(JSON.stringify([system, messages])) / 4;
}
