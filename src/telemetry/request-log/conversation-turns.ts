import { limits as kernelLimits } from '../../kernel/limits.ts';
import { type NanoUsd, nanoOfPico } from '../../kernel/money.ts';
import type { LoggedCall } from '../../kernel/ports/request-log.ts';
import type { ModelPricing } from '../../kernel/rate-card.ts';
import { limits } from '../limits.ts';

/**
 * Why a provider read again what it had cached:
 * - `model`: another model or provider.
 * - `tools`, `instructions`: the client changed them.
 * - `compacted`: the client replaced its history with a summary.
 * - `history`: the client changed or shortened its history.
 * - `module`: a module changed what was sent before.
 * - `expired`: the provider's cache has a lifetime, and it was over.
 * - `unknown`: nothing of that. The provider may have dropped it, or the client has edited its history.
 */
export const cacheBreakReasons = [
  ...(['model', 'tools', 'instructions', 'compacted', 'history', 'module', 'expired', 'unknown'] as const),
] as const;
type CacheBreakReason = (typeof cacheBreakReasons)[number];

/** A call that read less from the provider's cache than its conversation had there. */
export interface CacheBreak {
  readonly reason: CacheBreakReason;
  /** Tokens of the request that the provider had to read again. */
  readonly lostTokens: number;
  /** What they cost beyond the price of reading them from the cache, at today's prices; null if those are unknown. */
  readonly costNanoUsd: NanoUsd | null;
}

/** The results of tools that a call has in addition to the one that it continues. */
interface ToolResults {
  /** How often each tool was called, by name. */
  readonly of: Readonly<Record<string, number>>;
  /** By how much the request is longer than the one before with its answer; undefined if it is not, or unknown. */
  readonly tokens: number | undefined;
}

/** A call in relation to the one that it continues. */
export interface ConversationTurn {
  readonly call: LoggedCall;
  /** What the client sent since the last answer; null if unknown. */
  readonly cause: 'prompt' | 'tool-results' | null;
  readonly toolResults: ToolResults | undefined;
  readonly isCompaction: boolean;
  /** The tokens of the request before, if this one is so much shorter that the client has compacted it, or went back. */
  readonly shortenedFrom: number | undefined;
  readonly cacheBreak: CacheBreak | undefined;
}

/** The current price of a model; undefined if it is unknown. */
export type PricingOf = (provider: string, model: string) => ModelPricing | undefined;

/**
 * Relates each call of a session to the one that it continues. Agents mix several prompts in a session, such as subagents
 * and titles: a call continues the last one of its conversation with the same instructions or the same tools.
 */
export class ConversationTurns {
  readonly #pricingOf: PricingOf;
  /** The last answered call of each prompt, the latest last. */
  #latest: readonly LoggedCall[] = [];

  constructor(pricingOf: PricingOf) {
    this.#pricingOf = pricingOf;
  }

  /** Calls must come in order. */
  add(call: LoggedCall): ConversationTurn {
    const before = this.#latest.findLast((earlier) => continues(call, earlier));
    if (isAnswered(call))
      this.#latest = [...this.#latest.filter((earlier) => earlier !== before), call].slice(
        -limits.conversationPromptsMax,
      );
    return {
      call,
      cause: causeOf(before),
      toolResults: before && toolResultsOf(call, before),
      isCompaction: isCompaction(call),
      shortenedFrom: before && shortenedFrom(call, before),
      cacheBreak: before && this.#cacheBreakOf(call, before),
    };
  }

  #cacheBreakOf(call: LoggedCall, before: LoggedCall): CacheBreak | undefined {
    if (!isAnswered(call)) return undefined;
    const expected = Math.min(cachedAfter(before), contextTokensOf(call));
    const lostTokens = expected - (call.cacheReadTokens ?? 0);
    if (lostTokens < limits.cacheBreakTokensMin || lostTokens < limits.cacheBreakShareMin * expected)
      return undefined;
    const pricing = this.#pricingOf(call.provider ?? '', call.modelUsed ?? '');
    return {
      reason: breakReasonOf(call, before, pricing),
      lostTokens,
      costNanoUsd: pricing === undefined ? null : lossOf(call, lostTokens, pricing),
    };
  }
}

/** Tokens of the request, wherever the provider read them from. */
export function contextTokensOf(call: LoggedCall): number {
  return (call.inputTokens ?? 0) + (call.cacheReadTokens ?? 0) + (call.cacheWriteTokens ?? 0);
}

function continues(call: LoggedCall, before: LoggedCall): boolean {
  if (call.conversation !== before.conversation || roleOf(call) !== roleOf(before)) return false;
  const [now, then] = [call.turn, before.turn];
  if (now === null || then === null) return true;
  return now.system === then.system || (now.tools === then.tools && now.tools !== '');
}

/** An agent compacts its conversation with the prompt that it has. */
function roleOf({ agent }: LoggedCall): string {
  return agent === null || agent === 'compaction' ? 'main' : agent;
}

function isCompaction({ agent }: LoggedCall): boolean {
  return agent === 'compaction';
}

/** Whether a provider has read the request. */
function isAnswered({ status, ending, inputTokens, steps }: LoggedCall): boolean {
  const isFailed = status >= 400 || ending === 'failed';
  return !isFailed && inputTokens !== null && steps.every(({ effect }) => effect !== 'answered');
}

function causeOf(before: LoggedCall | undefined): ConversationTurn['cause'] {
  if (before === undefined) return 'prompt';
  if (before.stopReason === null || isCompaction(before)) return null;
  return before.stopReason === 'tool_use' ? 'tool-results' : 'prompt';
}

function toolResultsOf(call: LoggedCall, before: LoggedCall): ToolResults | undefined {
  if (causeOf(before) !== 'tool-results' || before.turn === null) return undefined;
  const tokens = contextTokensOf(call) - contextTokensOf(before) - (before.outputTokens ?? 0);
  return { of: before.turn.called, tokens: isAnswered(call) && tokens > 0 ? tokens : undefined };
}

function shortenedFrom(call: LoggedCall, before: LoggedCall): number | undefined {
  if (!isAnswered(call)) return undefined;
  const tokens = contextTokensOf(before);
  return contextTokensOf(call) < limits.shortenedShareMax * tokens ? tokens : undefined;
}

/** What a provider has cached after a call. Without writes it caches by itself, and promises no more than it has read from there. */
function cachedAfter({ cacheReadTokens, cacheWriteTokens }: LoggedCall): number {
  return (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
}

function breakReasonOf(
  call: LoggedCall,
  before: LoggedCall,
  pricing: ModelPricing | undefined,
): CacheBreakReason {
  if (call.modelUsed !== before.modelUsed || call.provider !== before.provider) return 'model';
  if (call.turn !== null && before.turn !== null) {
    if (call.turn.tools !== before.turn.tools) return 'tools';
    if (call.turn.system !== before.turn.system) return 'instructions';
  }
  const isShorter = contextTokensOf(call) < contextTokensOf(before);
  const guarded = guardedReasons[call.turn?.breakReason ?? ''];
  if (guarded === 'compacted' || (isCompaction(before) && isShorter)) return 'compacted';
  if (call.steps.some(({ facts }) => isPrefixChange(facts.step, facts.prefix))) return 'module';
  if (isShorter) return 'history';
  const seconds =
    before.turn?.hour === true ? hourSeconds : (pricing?.cacheSeconds ?? kernelLimits.cacheLifeSeconds);
  if (call.atMs - before.atMs > seconds * 1000) return 'expired';
  return guarded ?? 'unknown';
}

const hourSeconds = 3600;

/** What the prefix guard found, as far as it says more than the log. */
const guardedReasons: Readonly<Record<string, CacheBreakReason>> = {
  compacted: 'compacted',
  edited: 'history',
};

/** As the prefix guard notes it: a step that was allowed, or an edit that changed what the provider had read. */
function isPrefixChange(step: unknown, prefix: unknown): boolean {
  const isAllowed = typeof step === 'string' && !step.startsWith('no-');
  return isAllowed || prefix === 'redacted' || prefix === 'not-repeated';
}

function lossOf({ cacheWriteTokens, turn }: LoggedCall, lostTokens: number, { card }: ModelPricing): NanoUsd {
  const isWritten = (cacheWriteTokens ?? 0) > 0;
  const paid = isWritten ? (turn?.hour === true ? card.cacheWriteHour : card.cacheWrite) : card.input;
  return nanoOfPico(lostTokens * Math.max(0, paid - card.cacheRead));
}
