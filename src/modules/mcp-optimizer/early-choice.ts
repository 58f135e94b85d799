import type { ChatRequest, Exchange, Kit, StepEstimate } from '../../module-api.ts';

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

/** The step to choose tools for the first request after small talk, given the tokens saved in each call until now. */
export function stepAfterSmallTalk(
  { request, target }: Exchange,
  savedTokens: number,
  { catalog }: Pick<Kit<unknown>, 'catalog'>,
): StepEstimate {
  const { input, cacheRead } = catalog.priceOf(target)?.card ?? { input: 0, cacheRead: 0 };
  const isUncached = cacheRead <= 0;
  // The tools would have been read once at full price.
  const calls = isUncached ? 1 : input / cacheRead;
  return { calls, savesTokens: savedTokens, writesTokens: tokensBesideTools(request), isUncached };
}

/** The step to omit tools that all calls until now had. It expects as many further calls. */
export function stepAfterAllTools(
  { request }: Exchange,
  { omitted, kept }: { readonly omitted: number; readonly kept: number },
): StepEstimate {
  const calls = request.messages.filter(({ role }) => role === 'assistant').length;
  return { calls, savesTokens: omitted, writesTokens: kept + tokensBesideTools(request) };
}

function tokensBesideTools({ system, messages }: ChatRequest): number {
  return Buffer.byteLength(JSON.stringify([system, messages])) / 4;
}
