import {
  type Attempt,
  type Exchange,
  inputRatesOf,
  isJsonObject,
  type Kit,
  type NanoUsd,
  nanoOfPico,
  type RateCard,
  type Usage,
} from '../../module-api.ts';
import { costsTtlSeconds, lossNanoUsdMax, lossShareMax } from './limits.ts';

/** The input cost of a conversation, as sent (`spent`) and as it would have been `without` compaction. */
export interface ConversationCosts {
  readonly calls: number;
  readonly spent: NanoUsd;
  readonly without: NanoUsd;
  /** What the provider would have read of the client's latest request, in its tokens. */
  readonly fullTokens: number;
  /** Actual per estimated tokens of the latest request, as sent. */
  readonly ratio: number;
  /** The same of the latest request that was sent unchanged; 0 if there was none. */
  readonly fullRatio: number;
  /** Whether the provider seems to cache it. */
  readonly isCached: boolean;
  /** Consecutive long calls without cache reads or writes where some were expected. */
  readonly cold: number;
  /** No step is planned below this size. */
  readonly lookChars: number;
  /** The size at which the client last compacted the conversation itself; 0 if it hasn't. */
  readonly compactedAtTokens: number;
}

export const noCosts: ConversationCosts = {
  calls: 0,
  spent: 0,
  without: 0,
  fullTokens: 0,
  ratio: 1,
  fullRatio: 0,
  isCached: true,
  cold: 0,
  lookChars: 0,
  compactedAtTokens: 0,
};

/** What a step may cost: the savings so far plus the accepted loss, which bounds the loss if the conversation ends early. */
export function stepAllowance({ spent, without }: ConversationCosts): NanoUsd {
  return Math.max(0, without - spent + acceptedLoss(without));
}

/** Whether compaction lost more than was accepted. */
export function isLosing({ calls, spent, without }: ConversationCosts): boolean {
  return calls >= losingCallsMin && spent - without > acceptedLoss(without);
}

function acceptedLoss(without: NanoUsd): NanoUsd {
  return Math.min(lossShareMax * without, lossNanoUsdMax);
}

/** Fewer calls are not conclusive. */
const losingCallsMin = 5;

/** The estimated size of a call. */
export interface CallSize {
  readonly fullTokens: number;
  /** Without what the provider was asked to clear. */
  readonly sentTokens: number;
  /** What Weir asked the provider to clear of the request. */
  readonly clearedByWeir: number;
  /** What the client's own settings would have had the provider clear of `fullTokens`, and up to where that changed nothing. */
  readonly clearedByClient: number;
  readonly unchangedTokens: number;
  /** Whether the provider had the prefix cached, and whether this call changed it. */
  readonly isWarm: boolean;
  readonly isStep: boolean;
}

interface CallFacts extends CallSize {
  readonly card: RateCard;
  /** The tokens that the provider reports as cleared. */
  readonly reportedCleared: number;
}

/** Adds a call to the costs of its conversation. */
export function addCall(
  conversationCosts: ConversationCosts,
  attempts: readonly Attempt[],
  { card, reportedCleared, ...sized }: CallFacts,
): ConversationCosts {
  const own = attempts.filter(({ isModuleCall }) => !isModuleCall);
  const [first] = own;
  if (first === undefined) return conversationCosts;
  const { usage } = first;
  const [read, written, plain] = inputTokensOf(usage);
  const total = read + written + plain;
  if (total === 0) return conversationCosts;
  const ratio = (total + reportedCleared) / Math.max(1, sized.sentTokens + sized.clearedByWeir);
  const isUntouched = sized.sentTokens === sized.fullTokens && !sized.isStep;
  // Shortened messages have more tokens for their size than those they replace.
  const fullRatio = isUntouched || conversationCosts.fullRatio === 0 ? ratio : conversationCosts.fullRatio;
  const clearedOfClient =
    sized.clearedByWeir > 0 ? 0 : Math.max(reportedCleared, sized.clearedByClient * ratio);
  const fullTokens = Math.max(0, sized.fullTokens * fullRatio - clearedOfClient);
  const cold =
    read + written > 0 ? 0 : conversationCosts.cold + (isCold(conversationCosts, sized, total) ? 1 : 0);
  const isCached = cold < coldCallsMin;
  const anew = inputRatesOf(usage, card).fresh;
  const isRead = sized.isWarm && (read > 0 || sized.isStep);
  const known = conversationCosts.fullTokens > 0 ? conversationCosts.fullTokens : fullTokens * (read / total);
  const before = isRead ? Math.min(known, fullTokens, sized.unchangedTokens * ratio) : 0;
  const spent = attempts.reduce((sum, one) => sum + inputCost(one, card, own), 0);
  const wouldBe = isCached ? before * card.cacheRead + (fullTokens - before) * anew : fullTokens * card.input;
  return {
    ...conversationCosts,
    calls: conversationCosts.calls + 1,
    spent: conversationCosts.spent + nanoOfPico(Math.round(spent)),
    without: conversationCosts.without + nanoOfPico(Math.round(isUntouched ? spent : wouldBe)),
    fullTokens,
    ratio,
    fullRatio: isUntouched ? ratio : conversationCosts.fullRatio,
    isCached,
    cold,
  };
}

/** A single miss can happen; from this many on the provider has no cache. */
const coldCallsMin = 2;

/** Whether a long follow-up request should have hit the cache. */
function isCold({ calls }: ConversationCosts, { isWarm, isStep }: CallSize, total: number): boolean {
  return calls > 0 && isWarm && !isStep && total > 5000;
}

/** Further calls, for a summary or a search, count with their whole bill. */
function inputCost(
  { usage, bill, isModuleCall, askedBy }: Attempt,
  card: RateCard,
  own: readonly Attempt[],
): number {
  const [read, written, plain] = inputTokensOf(usage);
  const isFurther = isModuleCall || (askedBy !== undefined && own[0]?.usage !== usage);
  if (isFurther && bill !== undefined) return bill.nanoUsd * 1000;
  return read * card.cacheRead + written * inputRatesOf(usage, card).fresh + plain * card.input;
}

function inputTokensOf(usage: Usage): readonly [number, number, number] {
  return [
    usage.cache_read_input_tokens ?? 0,
    usage.cache_creation_input_tokens ?? 0,
    usage.input_tokens ?? 0,
  ];
}

/** Starts from zero if the cache has dropped them. */
export async function loadCosts(
  exchange: Exchange,
  { cache }: Pick<Kit<unknown>, 'cache'>,
): Promise<ConversationCosts> {
  const bytes = await cache.get(keyOf(exchange));
  if (bytes === undefined) return noCosts;
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) ? { ...noCosts, ...read } : noCosts;
}

export async function storeCosts(
  conversationCosts: ConversationCosts,
  exchange: Exchange,
  { cache }: Pick<Kit<unknown>, 'cache'>,
): Promise<void> {
  await cache.put(keyOf(exchange), Buffer.from(JSON.stringify(conversationCosts)), costsTtlSeconds);
}

function keyOf({ conversation }: Exchange): string {
  return `worth:${conversation.root}`;
}
