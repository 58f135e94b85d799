import type { ConversationCosts } from './conversation-costs.ts';
import { charsPerToken, stepShare } from './limits.ts';
import type { RenderedRequest } from './request-renderer.ts';

/** Why a request is sent unchanged. */
export type UnchangedReason =
  | 'small'
  | 'window'
  | 'compacted-by-provider'
  | 'costs'
  | 'thinking'
  | 'recent'
  | 'prefix';

/** What decides whether a conversation is compacted further. */
export interface StepConditions {
  /** Whether the provider rejected the request as too long, or it may exceed the context window or a target that is held. */
  readonly isRequired: boolean;
  /** Whether only the context window may require a step. */
  readonly isLeftAlone: boolean;
  /** Whether compaction has cost more than it saved. */
  readonly isLosing: boolean;
  /** Whether the provider has cached nothing of the conversation, so that a step costs nothing. */
  readonly isBreak: boolean;
  /** Whether the model is in a tool loop with thinking, where Weir must not edit messages. */
  readonly isThinking: boolean;
}

/** The size above which a request is compacted; undefined if unknown. After a rejection any smaller size will do. */
export function goalCharsOf(
  targetChars: number | undefined,
  fullChars: number,
  wasRejected: boolean,
): number | undefined {
  return wasRejected ? Math.min(targetChars ?? fullChars, fullChars) : targetChars;
}

export function isStepDue(
  { chars, view }: RenderedRequest,
  goalChars: number,
  {
    isRequired,
    isLeftAlone,
    isLosing,
    isBreak,
    lookChars,
  }: StepConditions & Pick<ConversationCosts, 'lookChars'>,
): boolean {
  if (isRequired) return true;
  if (isLeftAlone || isLosing) return false;
  if (!isBreak) return chars >= goalChars && chars >= lookChars;
  // One full step replaces several small ones at a cache break, where it costs nothing.
  const hasSmallStepsOnly = view?.pieces.every(({ kind }) => kind === 'shortened') ?? false;
  return chars >= goalChars || (hasSmallStepsOnly && chars > goalChars * stepShare);
}

/** Why a conversation above its goal is sent unchanged. */
export function explainUnchanged({
  isRequired,
  isLosing,
  isBreak,
  isThinking,
}: StepConditions): UnchangedReason {
  if (isLosing) return 'costs';
  if (isThinking) return 'thinking';
  return isBreak || isRequired ? 'recent' : 'prefix';
}

/** The costs so far, without the sizes of a conversation that the client has compacted itself: its request is much smaller than the one before. */
export function noticeClientCompaction(costs: ConversationCosts, fullChars: number): ConversationCosts {
  const { fullTokens, ratio, fullRatio } = costs;
  const isCompacted = fullTokens > (fullChars / charsPerToken) * (fullRatio || ratio) * 1.2;
  return isCompacted ? { ...costs, lookChars: 0, fullTokens: 0, compactedAtTokens: fullTokens } : costs;
}
