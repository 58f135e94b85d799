import type { NanoUsd, RateCard, StepEstimate } from '../../module-api.ts';
import type { LargeCall } from './conversation-compaction.ts';
import { stepAllowance } from './conversation-costs.ts';
import {
  breakShare,
  charsPerToken,
  expectedCallsShare,
  firstShare,
  nextAttemptGrowth,
  requiredShare,
  savingsFactorMin,
  stepShare,
} from './limits.ts';
import { type PlanInput, planPieces } from './plan.ts';
import type { RenderedRequest } from './request-renderer.ts';
import type { Piece, View } from './view.ts';

/** A possible compaction step with its expected cost and savings. */
interface StepCandidate {
  readonly view: View;
  readonly rendered: RenderedRequest;
  readonly expected: CandidateEstimate;
  readonly cost: NanoUsd;
  readonly savings: NanoUsd;
}

export interface PlannedStep {
  readonly step: StepCandidate | undefined;
  /** No further step is planned below this size. */
  readonly lookChars: number;
}

/** In the provider's tokens. */
type CandidateEstimate = Required<StepEstimate>;

/** Plans the next compaction step of a conversation. */
export class StepPlanner {
  readonly #call: LargeCall;
  readonly #card: RateCard | undefined;

  constructor(call: LargeCall) {
    this.#call = call;
    this.#card = call.kit.catalog.priceOf(call.exchange.target)?.card;
  }

  /** For a step that costs nothing, or after the provider has rejected the request. */
  async planFreeStep(current: RenderedRequest, planInput: PlanInput): Promise<PlannedStep> {
    const { costs, goalChars, rejected, isHeld } = this.#call;
    const hasPieces = (current.view?.pieces.length ?? 0) > 0;
    const isFirst = costs.calls === 0 && !hasPieces && rejected === undefined && !isHeld;
    const size = rejected === undefined ? goalChars : Math.min(goalChars, current.chars);
    const pieces = await planPieces(planInput, size * (isFirst ? firstShare : breakShare));
    return { step: this.#createCandidate(pieces, current, true), lookChars: 0 };
  }

  /** The affordable step with the highest net savings. */
  async planPaidStep(current: RenderedRequest, planInput: PlanInput): Promise<PlannedStep> {
    const allowance = stepAllowance(this.#call.costs);
    const [step] = (await this.#planCandidates(current, planInput))
      .filter(({ cost, savings }) => cost <= allowance && savings >= cost * savingsFactorMin)
      .sort(byNetSavings);
    return { step, lookChars: step === undefined ? current.chars * nextAttemptGrowth : 0 };
  }

  /** The step with the highest net savings of those that reach the goal, whatever it costs; the smallest if none does. */
  async planRequiredStep(current: RenderedRequest, planInput: PlanInput): Promise<PlannedStep> {
    const goalChars = this.#call.goalChars * requiredShare;
    const candidates = await this.#planCandidates(current, planInput);
    const reaching = candidates.filter(({ rendered }) => rendered.chars <= goalChars).sort(byNetSavings);
    const bySize = candidates.sort((one, other) => one.rendered.chars - other.rendered.chars);
    const step = reaching[0] ?? bySize[0];
    if (step === undefined) return { step, lookChars: current.chars * nextAttemptGrowth };
    return { step: { ...step, expected: { ...step.expected, isTooLong: true } }, lookChars: 0 };
  }

  /** Possible steps while the provider has the conversation cached. */
  async #planCandidates(current: RenderedRequest, planInput: PlanInput): Promise<StepCandidate[]> {
    const pieces = current.view?.pieces ?? [];
    const records = pieces.filter(({ kind }) => kind === 'record');
    const hasRecall = current.view?.hasRecall === true;
    const size = this.#call.goalChars * stepShare;
    const bounds = [
      ...this.#bounds(current).map((bound) => ({ base: pieces, ...bound })),
      ...(records.length > 0 ? [{ base: records }] : []),
    ];
    const candidates: StepCandidate[] = [];
    for (const bound of bounds) {
      const plan = await planPieces(planInput, size, bound);
      const candidate = this.#createCandidate(plan, current, hasRecall);
      if (candidate !== undefined) candidates.push(candidate);
    }
    // Rewriting everything invalidates the provider's cache anyway, so the recall tool can be added.
    const anew = this.#createCandidate(await planPieces(planInput, size), current, true);
    return anew === undefined ? candidates : [...candidates, anew];
  }

  /** How far back a step may reach: to a cached position, or as far as the allowance permits. */
  #bounds(current: RenderedRequest): readonly { readonly since?: number; readonly writesChars?: number }[] {
    const { renderer } = this.#call;
    if (!renderer.hasClientMarkers) return [{ writesChars: this.#affordableChars() }];
    return renderer.cachedStarts(current).map((since) => ({ since }));
  }

  /** How many characters a step can afford to rewrite. */
  #affordableChars(): number {
    const { costs } = this.#call;
    const card = this.#card;
    const perToken = card === undefined || !costs.isCached ? 0 : (card.cacheWrite - card.cacheRead) / 1000;
    if (perToken <= 0) return Number.POSITIVE_INFINITY;
    return (stepAllowance(costs) / perToken / costs.ratio) * charsPerToken;
  }

  #createCandidate(
    pieces: readonly Piece[] | undefined,
    current: RenderedRequest,
    hasRecall: boolean,
  ): StepCandidate | undefined {
    if (pieces === undefined) return undefined;
    const { renderer } = this.#call;
    const view: View = { pieces, hasRecall, since: renderer.messageCount };
    const rendered = renderer.render(view);
    if (rendered.chars >= current.chars) return undefined;
    const expected = this.expected(rendered, current);
    const { input = 0, cacheRead = 0, cacheWrite = 0 } = this.#card ?? {};
    const { isUncached, writesTokens, savesTokens, calls } = expected;
    const cost = isUncached ? 0 : (writesTokens * (cacheWrite - cacheRead)) / 1000;
    const savings = (savesTokens * (isUncached ? input : cacheRead) * calls) / 1000;
    return { view, rendered, expected, cost, savings };
  }

  expected(sent: RenderedRequest, before: RenderedRequest): CandidateEstimate {
    const { exchange, renderer, costs, rejected } = this.#call;
    const { ratio, isCached } = costs;
    const tokens = (chars: number) => Math.max(0, Math.round((chars / charsPerToken) * ratio));
    const answers = exchange.request.messages.filter(({ role }) => role === 'assistant').length;
    const isSameHead = (sent.view?.hasRecall ?? false) === (before.view?.hasRecall ?? false);
    const keptChars = isSameHead ? renderer.cachedChars(sent, before) : 0;
    return {
      calls: this.#expectedCalls(answers),
      savesTokens: tokens(before.chars - sent.chars),
      writesTokens: tokens(sent.chars - keptChars),
      isUncached: !isCached,
      isTooLong: rejected !== undefined,
    };
  }

  /** Half as many calls as there were, or fewer if the client is known to compact the conversation itself. */
  #expectedCalls(answers: number): number {
    const { fullTokens, compactedAtTokens } = this.#call.costs;
    const calls = Math.max(2, Math.round(answers * expectedCallsShare));
    if (fullTokens === 0 || compactedAtTokens === 0 || fullTokens > compactedAtTokens) return calls;
    return Math.min(calls, Math.floor((compactedAtTokens / fullTokens - 1) * answers));
  }
}

function byNetSavings(one: StepCandidate, other: StepCandidate): number {
  return other.savings - other.cost - (one.savings - one.cost);
}
