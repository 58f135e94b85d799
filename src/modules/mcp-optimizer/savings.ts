import {
  type Attempt,
  type Exchange,
  formatUsd,
  inputRatesOf,
  isJsonObject,
  type Kit,
  type NanoUsd,
  nanoOfPico,
  type RateCard,
  type ScopedCache,
} from '../../module-api.ts';
import { savingsWindow } from './limits.ts';

const savingsTtlSeconds = 86_400;

/** Notes the expected savings at once, because a stream's headers are sent before the bill, and the actual savings when billed. */
export function recordSavings(
  exchange: Exchange,
  { tokens, module }: { readonly tokens: number; readonly module: string },
  kit: Kit<unknown>,
): void {
  const card = kit.catalog.priceOf(exchange.target)?.card;
  if (card === undefined) return;
  const rate = kit.prefix.isBreak ? card.input : card.cacheRead;
  kit.note({ saved: formatUsd(Math.round((tokens * rate) / 1000)) });
  kit.onBilled((attempts) => {
    const saved = savingsOf(attempts, tokens, { card, module });
    kit.addSaving(saved);
    kit.note({ saved: formatUsd(saved) });
    kit.runInBackground(() => storeSavings({ saved, tokens: inputTokensOf(attempts) }, exchange, kit));
  });
}

/** The savings of a call: the cost of the omitted tokens at the billed rate, less the cost of tool search rounds. */
function savingsOf(
  attempts: readonly Attempt[],
  tokens: number,
  { card, module }: { readonly card: RateCard; readonly module: string },
): NanoUsd {
  const own = attempts.filter(({ isModuleCall }) => !isModuleCall);
  const rounds = own.filter(({ askedBy }, at) => at > 0 && askedBy === module);
  const spent = rounds.reduce((sum, { bill }) => sum + (bill?.nanoUsd ?? 0), 0);
  const [first] = own;
  if (first === undefined || first.ending?.how === 'failed') return 0 - spent;
  // Tools come first in a request, so any cache read includes them.
  return nanoOfPico(Math.round(tokens * inputRatesOf(first.usage, card).earlier)) - spent;
}

interface ConversationSavings {
  /** What each of the latest calls saved. */
  readonly latest: readonly NanoUsd[];
  /** Input tokens of the last call. */
  readonly tokens: number;
}

/** Whether the module cost more than it saved in the latest calls of a conversation. */
export async function isLosing(exchange: Exchange, kit: Pick<Kit<unknown>, 'cache'>): Promise<boolean> {
  return lossOf(await loadSavings(kit.cache, exchange)) > 0;
}

/**
 * Whether stopping pays off although the provider must rewrite its cache. It expects as many further calls as were recorded.
 */
export async function paysToStop(
  exchange: Exchange,
  kit: Pick<Kit<unknown>, 'cache' | 'catalog' | 'prefix'>,
): Promise<boolean> {
  const conversationSavings = await loadSavings(kit.cache, exchange);
  const loss = lossOf(conversationSavings);
  const card = kit.catalog.priceOf(exchange.target)?.card;
  if (loss === 0 || card === undefined || card.cacheRead <= 0) return false;
  if (loss <= nanoOfPico(Math.round(conversationSavings.tokens * (card.cacheWrite - card.cacheRead))))
    return false;
  const calls = conversationSavings.latest.length;
  const savesTokens = Math.ceil((loss * 1000) / calls / card.cacheRead);
  return kit.prefix.proposeStep(exchange.request, { calls, savesTokens }).isAllowed;
}

/** The total loss of the latest calls; 0 without one, or with too few calls. */
function lossOf({ latest }: ConversationSavings): NanoUsd {
  if (latest.length < savingsWindow.least) return 0;
  return Math.max(0, -latest.reduce((sum, saved) => sum + saved, 0));
}

/** Concurrent calls may overwrite each other, which hardly matters in a sum over many. */
async function storeSavings(
  { saved, tokens }: { readonly saved: NanoUsd; readonly tokens: number },
  exchange: Exchange,
  kit: Pick<Kit<unknown>, 'cache'>,
): Promise<void> {
  const before = await loadSavings(kit.cache, exchange);
  const conversationSavings: ConversationSavings = {
    latest: [...before.latest, saved].slice(-savingsWindow.most),
    tokens,
  };
  await kit.cache.put(keyOf(exchange), Buffer.from(JSON.stringify(conversationSavings)), savingsTtlSeconds);
}

/** All input tokens of a call, cached or not. */
function inputTokensOf(attempts: readonly Attempt[]): number {
  const { usage } = attempts.findLast(({ isModuleCall }) => !isModuleCall) ?? {};
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage ?? {};
  return input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
}

async function loadSavings(scopedCache: ScopedCache, exchange: Exchange): Promise<ConversationSavings> {
  const bytes = await scopedCache.get(keyOf(exchange));
  const read: unknown = bytes === undefined ? {} : JSON.parse(Buffer.from(bytes).toString('utf8'));
  const { latest, tokens } = isJsonObject(read) ? read : {};
  return {
    latest: Array.isArray(latest) ? latest.filter((saved) => typeof saved === 'number') : [],
    tokens: typeof tokens === 'number' ? tokens : 0,
  };
}

function keyOf({ conversation }: Exchange): string {
  return `worth:${conversation.root}`;
}
