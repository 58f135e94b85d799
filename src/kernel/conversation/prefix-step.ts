import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import type { Block, ChatRequest, Tool } from '../message.ts';
import type { NanoUsd } from '../money.ts';
import type { Prices } from '../ports/prices.ts';
import { costOf, type ModelPricing } from '../rate-card.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

/** What a module expects of changing what a provider keeps. */
export interface StepEstimate {
  /** Calls of this conversation that are still to come, this one included. */
  readonly calls: number;
  /** Tokens that each of them would have less; reckoned from the two requests where it isn't said. */
  readonly savesTokens?: number;
  /** Tokens that have to be written anew; without it, all from the first message on that is another than the client's. */
  readonly writesTokens?: number;
  /** Whether its provider is known to keep nothing of this conversation: then all is read at the full price. */
  readonly isUncached?: boolean;
  /** Whether the provider has just said that the request is too long. */
  readonly isTooLong?: boolean;
}

/** Whether a module may take a step, and what it was reckoned to cost and to save. */
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
  /** For writing anew what is behind the change, instead of reading it. */
  readonly costs: NanoUsd;
  readonly saves: NanoUsd;
}

export const zeroCost: Pick<StepDecision, 'costs' | 'saves'> = { costs: 0, saves: 0 };

interface StepProposal {
  readonly incoming: Exchange;
  readonly edited: ChatRequest;
  readonly expected: StepEstimate;
  /** Steps that were taken in this conversation. */
  readonly stepsTaken: number;
  /** Whether the call has asked its provider before: who makes it again begins with the first request, not with this. */
  readonly hasEarlierAttempt: boolean;
  readonly prices: Pick<Prices, 'priceOf'>;
}

/** Judges a step that changes what the provider of a live conversation keeps. */
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

function isTooLong(
  { max_tokens }: ChatRequest,
  tokens: number,
  modelPricing: ModelPricing | undefined,
): boolean {
  const { contextTokens } = modelPricing ?? {};
  return contextTokens !== undefined && tokens + (max_tokens ?? 0) > contextTokens * limits.fullWindowShare;
}

/** Whether part of the request is to be kept for an hour or longer, which costs more to write. */
export function requestsHourCacheTtl({ tools = [], system = [], messages }: ChatRequest): boolean {
  return (
    tools.some(hasHourCacheTtl) ||
    (typeof system !== 'string' && system.some(hasHourCacheTtl)) ||
    messages.some(({ content }) => typeof content !== 'string' && content.some(hasHourCacheTtl))
  );
}

function hasHourCacheTtl(part: Tool | Block): boolean {
  if ('cache_control' in part && part.cache_control?.ttl === '1h') return true;
  return 'content' in part && Array.isArray(part.content) && part.content.some(hasHourCacheTtl);
}

function rewriteCost({ card }: ModelPricing, tokens: number, request: ChatRequest): NanoUsd {
  const hour = requestsHourCacheTtl(request) ? { ephemeral_1h_input_tokens: tokens } : {};
  const written = costOf(card, { cache_creation_input_tokens: tokens, cache_creation: hour });
  return Math.max(0, written - costOf(card, { cache_read_input_tokens: tokens }));
}

function readCost({ card }: ModelPricing, tokens: number, isUncached: boolean): NanoUsd {
  const usage = isUncached ? { input_tokens: tokens } : { cache_read_input_tokens: tokens };
  return costOf(card, usage) - costOf(card, {});
}

/** Tokens of the edited request from the first thing on that is another. */
function estimateChangedTokens(came: ChatRequest, edited: ChatRequest): number {
  if (came.tools !== edited.tools) return estimateRequestTokens(edited);
  if (came.system !== edited.system) return estimateTokens([edited.system, edited.messages]);
  const first = edited.messages.findIndex((message, at) => message !== came.messages[at]);
  return first < 0 ? 0 : estimateTokens(edited.messages.slice(first));
}

function estimateRequestTokens({ tools, system, messages }: ChatRequest): number {
  return estimateTokens([tools, system, messages]);
}

function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / limits.charsPerToken);
}
