import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import type { ChatRequest } from '../message.ts';
import type { NanoUsd } from '../money.ts';
import type { Prices } from '../ports/prices.ts';
import { costOf, type ModelPricing } from '../rate-card.ts';
import { cacheMarksOf } from './cache-marks.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

/** A module's estimate for a change of the provider's cached prefix. */
export interface StepEstimate {
  /** Expected remaining calls of this conversation, including this one. */
  readonly calls: number;
  /** Tokens saved per call; computed from the two requests if undefined. */
  readonly savesTokens?: number;
  /** Tokens that have to be cached again; by default, everything from the first changed message on. */
  readonly writesTokens?: number;
  /**
   * Whether the provider is known to have cached nothing of this conversation, so that all input has the full price.
   */
  readonly isUncached?: boolean;
  /** Whether the request is longer than it may be: the provider has just rejected it, or the module has to hold a size. */
  readonly isTooLong?: boolean;
}

/** Whether a module may change the prefix, with the estimated cost and saving. */
export interface StepDecision {
  readonly isAllowed: boolean;
  readonly why:
    | 'break'
    | 'unchanged'
    | 'pays'
    | 'window'
    | 'costs'
    | 'thinking'
    | 'too-often'
    | 'round'
    | 'unpriced';
  /** The cost of caching what follows the change again, instead of reading it. */
  readonly costs: NanoUsd;
  readonly saves: NanoUsd;
}

export const zeroCost: Pick<StepDecision, 'costs' | 'saves'> = { costs: 0, saves: 0 };

interface StepProposal {
  readonly incoming: Exchange;
  readonly edited: ChatRequest;
  readonly expected: StepEstimate;
  /** Steps taken in this conversation. */
  readonly stepsTaken: number;
  /**
   * Whether the call has made an attempt before: a retried call would start with the first request, not with this
   * one.
   */
  readonly hasEarlierAttempt: boolean;
  readonly prices: Pick<Prices, 'priceOf'>;
}

/** Decides on a step, which changes the cached prefix of a live conversation. */
export function judgeStep({
  incoming,
  edited,
  expected: stepEstimate,
  stepsTaken,
  hasEarlierAttempt,
  prices,
}: StepProposal): StepDecision {
  if (isInThinkingLoop(incoming.request)) return { isAllowed: false, why: 'thinking', ...zeroCost };
  const modelPricing = prices.priceOf(incoming.target);
  const tokens = estimateRequestTokens(incoming.request);
  const { calls, savesTokens = tokens - estimateRequestTokens(edited) } = stepEstimate;
  const { writesTokens = estimateChangedTokens(incoming.request, edited), isUncached = false } = stepEstimate;
  const sum =
    modelPricing === undefined
      ? zeroCost
      : {
          costs: isUncached ? 0 : rewriteCost(modelPricing, writesTokens, incoming.request),
          saves: Math.floor(calls * readCost(modelPricing, savesTokens, isUncached)),
        };
  if (stepEstimate.isTooLong === true || isTooLong(incoming.request, tokens, modelPricing))
    return { isAllowed: true, why: 'window', ...sum };
  if (hasEarlierAttempt) return { isAllowed: false, why: 'round', ...sum };
  if (stepsTaken >= limits.prefixStepsMax) return { isAllowed: false, why: 'too-often', ...sum };
  if (modelPricing === undefined) return { isAllowed: false, why: 'unpriced', ...sum };
  const pays = sum.saves > sum.costs;
  return { isAllowed: pays, why: pays ? 'pays' : 'costs', ...sum };
}

/** The cost of caching again what follows an edit; 0 if the price is unknown. */
export function costOfBreak(
  incoming: Exchange,
  edited: ChatRequest,
  prices: Pick<Prices, 'priceOf'>,
): NanoUsd {
  const modelPricing = prices.priceOf(incoming.target);
  if (modelPricing === undefined) return 0;
  return rewriteCost(modelPricing, estimateChangedTokens(incoming.request, edited), incoming.request);
}

function isTooLong(
  { max_tokens }: ChatRequest,
  tokens: number,
  modelPricing: ModelPricing | undefined,
): boolean {
  const { contextTokens } = modelPricing ?? {};
  return contextTokens !== undefined && tokens + (max_tokens ?? 0) > contextTokens * limits.fullWindowShare;
}

function rewriteCost({ card }: ModelPricing, tokens: number, request: ChatRequest): NanoUsd {
  const hour = cacheMarksOf(request).hasHour ? { ephemeral_1h_input_tokens: tokens } : {};
  const written = costOf(card, { cache_creation_input_tokens: tokens, cache_creation: hour });
  return Math.max(0, written - costOf(card, { cache_read_input_tokens: tokens }));
}

function readCost({ card }: ModelPricing, tokens: number, isUncached: boolean): NanoUsd {
  const usage = isUncached ? { input_tokens: tokens } : { cache_read_input_tokens: tokens };
  return costOf(card, usage) - costOf(card, {});
}

/** Tokens of the edited request from the first difference on. */
function estimateChangedTokens(incoming: ChatRequest, edited: ChatRequest): number {
  if (incoming.tools !== edited.tools) return estimateRequestTokens(edited);
  if (incoming.system !== edited.system) return estimateTokens([edited.system, edited.messages]);
  const first = edited.messages.findIndex((message, at) => message !== incoming.messages[at]);
  return first < 0 ? 0 : estimateTokens(edited.messages.slice(first));
}

function estimateRequestTokens({ tools, system, messages }: ChatRequest): number {
  return estimateTokens([tools, system, messages]);
}

function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / limits.charsPerToken);
}
