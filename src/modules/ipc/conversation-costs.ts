import {
  type Attempt,
  type Exchange,
  isJsonObject,
  type Kit,
  type NanoUsd,
  nanoOfPico,
  type RateCard,
  type Usage,
} from '../../module-api.ts';
import { costsTtlSeconds, lossShareMax } from './limits.ts';

/** What a conversation has cost for what was read in it, as it was sent and as the client would have sent it. */
export interface ConversationCosts {
  readonly calls: number;
  readonly spent: NanoUsd;
  readonly without: NanoUsd;
  /** Tokens of the client's latest request, as its provider would have counted them. */
  readonly fullTokens: number;
  /** Tokens for each that was estimated. */
  readonly ratio: number;
  /** Whether its provider keeps anything of it, as far as is known. */
  readonly isCached: boolean;
  /** Long calls in a row of which nothing was read or written though it could have been. */
  readonly cold: number;
  /** Below this size no step is looked for. */
  readonly lookChars: number;
}

export const noCosts: ConversationCosts = {
  calls: 0,
  spent: 0,
  without: 0,
  fullTokens: 0,
  ratio: 1,
  isCached: true,
  cold: 0,
  lookChars: 0,
};

/** What a step may cost: what was saved so far, and a little of the bill, so that a conversation that ends early has lost no more. */
export function stepAllowance({ spent, without }: ConversationCosts): NanoUsd {
  return Math.max(0, without - spent + lossShareMax * without);
}

/** Whether it has cost more than it saved, by more than may be lost. */
export function isLosing({ calls, spent, without }: ConversationCosts): boolean {
  return calls >= losingCallsMin && spent - without > without * lossShareMax * 1.5;
}

/** Before so many calls nobody can tell. */
const losingCallsMin = 5;

/** A call as it was estimated. */
export interface CallSize {
  readonly fullTokens: number;
  readonly sentTokens: number;
  /** Whether its provider had kept what came before, and whether that was changed. */
  readonly isWarm: boolean;
  readonly isStep: boolean;
}

/** What it has come to with one more call. */
export function addCall(
  conversationCosts: ConversationCosts,
  attempts: readonly Attempt[],
  { card, ...sized }: CallSize & { readonly card: RateCard },
): ConversationCosts {
  const own = attempts.filter(({ isModuleCall }) => !isModuleCall);
  const [first] = own;
  if (first === undefined) return conversationCosts;
  const { usage } = first;
  const [read, written, plain] = inputTokensOf(usage);
  const total = read + written + plain;
  if (total === 0) return conversationCosts;
  const ratio = total / Math.max(1, sized.sentTokens);
  const fullTokens = sized.fullTokens * ratio;
  const cold =
    read + written > 0 ? 0 : conversationCosts.cold + (isCold(conversationCosts, sized, total) ? 1 : 0);
  const isCached = cold < coldCallsMin;
  const anew = writeRate(usage, card);
  const isRead = sized.isWarm && (read > 0 || sized.isStep);
  const known = conversationCosts.fullTokens > 0 ? conversationCosts.fullTokens : fullTokens * (read / total);
  const before = isRead ? Math.min(known, fullTokens) : 0;
  const spent = attempts.reduce((sum, one) => sum + inputCost(one, card, own), 0);
  const isUntouched = sized.sentTokens === sized.fullTokens && !sized.isStep;
  const wouldBe = isCached ? before * card.cacheRead + (fullTokens - before) * anew : fullTokens * card.input;
  return {
    ...conversationCosts,
    calls: conversationCosts.calls + 1,
    spent: conversationCosts.spent + nanoOfPico(Math.round(spent)),
    without: conversationCosts.without + nanoOfPico(Math.round(isUntouched ? spent : wouldBe)),
    fullTokens,
    ratio,
    isCached,
    cold,
  };
}

/** Caches miss now and then; who never reads has none. */
const coldCallsMin = 2;

/** A long request that followed on another one, and of which nothing was read or written. */
function isCold({ calls }: ConversationCosts, { isWarm, isStep }: CallSize, total: number): boolean {
  return calls > 0 && isWarm && !isStep && total > 5000;
}

/** What was asked for this call in another way, for a summary or a search, counts in full. */
function inputCost(
  { usage, bill, isModuleCall, askedBy }: Attempt,
  card: RateCard,
  own: readonly Attempt[],
): number {
  const [read, written, plain] = inputTokensOf(usage);
  const isFurther = isModuleCall || (askedBy !== undefined && own[0]?.usage !== usage);
  if (isFurther && bill !== undefined) return bill.nanoUsd * 1000;
  return read * card.cacheRead + written * writeRate(usage, card) + plain * card.input;
}

function inputTokensOf(usage: Usage): readonly [number, number, number] {
  return [
    usage.cache_read_input_tokens ?? 0,
    usage.cache_creation_input_tokens ?? 0,
    usage.input_tokens ?? 0,
  ];
}

function writeRate(usage: Usage, card: RateCard): number {
  if ((usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0) return card.cacheWriteHour;
  return (usage.cache_creation_input_tokens ?? 0) > 0 ? card.cacheWrite : card.input;
}

/** It may be forgotten: then a conversation begins with nothing saved. */
export async function loadCosts(
  exchange: Exchange,
  { cache }: Pick<Kit<unknown>, 'cache'>,
): Promise<ConversationCosts> {
  const bytes = await cache.get(keyOf(exchange));
  if (bytes === undefined) return noCosts;
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) && isConversationCosts(read) ? read : noCosts;
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

function isConversationCosts(read: object): read is ConversationCosts {
  return Object.keys(noCosts).every((name) => name in read);
}
