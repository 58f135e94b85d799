import type { ChatRequest, Exchange, Kit } from '../../module-api.ts';

/** Room for the answer and the next question, which are not there yet. */
const expectedGrowthFactor = 2;

/**
 * Whether tools are better left out while people only greet, to be chosen at their first request: what is saved until then must be
 * more than what it costs that the provider has to read the greeting anew.
 */
export function paysToWait(
  { request, target }: Exchange,
  tokens: number,
  { catalog }: Pick<Kit<unknown>, 'catalog'>,
): boolean {
  const isPriced = (catalog.priceOf(target)?.card.input ?? 0) > 0;
  return isPriced && tokens > expectedGrowthFactor * tokensBesideTools(request);
}

/** Whether `edited`, with the tools for the first request, may be sent: by what those that were left out until now would have cost. */
export function mayChooseNow(
  { request, target }: Exchange,
  { edited, tokens }: { readonly edited: ChatRequest; readonly tokens: number },
  { catalog, prefix }: Pick<Kit<unknown>, 'catalog' | 'prefix'>,
): boolean {
  const card = catalog.priceOf(target)?.card;
  if (card === undefined) return false;
  const isUncached = card.cacheRead <= 0;
  // They would have been read at the full price once.
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
