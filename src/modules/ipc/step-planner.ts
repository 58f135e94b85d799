import type { Exchange, Kit, RateCard, StepEstimate } from '../../module-api.ts';
import { type ConversationCosts, stepAllowance } from './conversation-costs.ts';
import {
  breakShare,
  charsPerToken,
  expectedCallsShare,
  firstShare,
  nextAttemptGrowth,
  savingsFactorMin,
  stepShare,
} from './limits.ts';
import type { IpcOptions } from './options.ts';
import { type PlanInput, planPieces } from './plan.ts';
import type { RenderedRequest, RequestRenderer } from './request-renderer.ts';
import type { Piece, View } from './view.ts';

/** A possible compaction step with its expected cost and savings. */
export interface StepCandidate {
  readonly view: View;
  readonly rendered: RenderedRequest;
  readonly expected: CandidateEstimate;
  readonly costs: number;
  readonly saves: number;
}

/** In the provider's tokens. */
type CandidateEstimate = Required<StepEstimate>;

interface StepPlannerParts {
  readonly exchange: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly renderer: RequestRenderer;
  readonly conversationCosts: ConversationCosts;
  /** Whether the provider rejected the request as too long. */
  readonly wasTooLong: boolean;
}

/** Plans the next compaction step of a conversation. */
export class StepPlanner {
  readonly #parts: StepPlannerParts;
  readonly #card: RateCard | undefined;

  constructor(parts: StepPlannerParts) {
    this.#parts = parts;
    this.#card = parts.kit.catalog.priceOf(parts.exchange.target)?.card;
  }

  /** For a step that costs nothing, or that is required at any cost. */
  planFreeStep(current: RenderedRequest, planInput: PlanInput, goal: number): StepCandidate | undefined {
    const { conversationCosts, wasTooLong } = this.#parts;
    const isFirst = conversationCosts.calls === 0 && (current.view?.pieces.length ?? 0) === 0 && !wasTooLong;
    const size = wasTooLong ? Math.min(goal, current.chars) : goal;
    const pieces = planPieces(planInput, size * (isFirst ? firstShare : breakShare));
    return this.#createCandidate(pieces, current, true);
  }

  /** The affordable step with the highest net savings, or else the size at which to plan again. */
  planPaidStep(
    current: RenderedRequest,
    planInput: PlanInput,
    goal: number,
  ): { readonly step?: StepCandidate | undefined; readonly lookChars: number } {
    const pieces = current.view?.pieces ?? [];
    const records = pieces.filter(({ kind }) => kind === 'record');
    const hasRecall = current.view?.hasRecall === true;
    const size = goal * stepShare;
    const candidates = [
      ...this.#bounds(current).map((bounds) => planPieces(planInput, size, { base: pieces, ...bounds })),
      ...(records.length > 0 ? [planPieces(planInput, size, { base: records })] : []),
    ].flatMap((plan) => this.#createCandidate(plan, current, hasRecall) ?? []);
    // Rewriting everything invalidates the provider's cache anyway, so the recall tool can be added.
    const anew = this.#createCandidate(planPieces(planInput, size), current, true);
    const budget = stepAllowance(this.#parts.conversationCosts);
    const [step] = [...candidates, ...(anew === undefined ? [] : [anew])]
      .filter(({ costs, saves }) => costs <= budget && saves >= costs * savingsFactorMin)
      .sort((one, other) => other.saves - other.costs - (one.saves - one.costs));
    return { step, lookChars: step === undefined ? current.chars * nextAttemptGrowth : 0 };
  }

  /** How far back a step may reach: to a cached position, or as far as the allowance permits. */
  #bounds(current: RenderedRequest): readonly { readonly since?: number; readonly writesChars?: number }[] {
    const { renderer } = this.#parts;
    if (!renderer.hasClientMarkers) return [{ writesChars: this.#affordableChars() }];
    return renderer.cachedStarts(current).map((since) => ({ since }));
  }

  /** How many characters a step can afford to rewrite. */
  #affordableChars(): number {
    const { conversationCosts } = this.#parts;
    const card = this.#card;
    const perToken =
      card === undefined || !conversationCosts.isCached ? 0 : (card.cacheWrite - card.cacheRead) / 1000;
    if (perToken <= 0) return Number.POSITIVE_INFINITY;
    return (stepAllowance(conversationCosts) / perToken / conversationCosts.ratio) * charsPerToken;
  }

  #createCandidate(
    pieces: readonly Piece[] | undefined,
    current: RenderedRequest,
    hasRecall: boolean,
  ): StepCandidate | undefined {
    if (pieces === undefined) return undefined;
    const { renderer } = this.#parts;
    const view: View = { pieces, hasRecall, since: renderer.messageCount };
    const rendered = renderer.render(view);
    if (rendered.chars >= current.chars) return undefined;
    const expected = this.expected(rendered, current);
    const { input = 0, cacheRead = 0, cacheWrite = 0 } = this.#card ?? {};
    const { isUncached, writesTokens, savesTokens, calls } = expected;
    const costs = isUncached ? 0 : (writesTokens * (cacheWrite - cacheRead)) / 1000;
    const saves = (savesTokens * (isUncached ? input : cacheRead) * calls) / 1000;
    return { view, rendered, expected, costs, saves };
  }

  expected(sent: RenderedRequest, before: RenderedRequest): CandidateEstimate {
    const { exchange, renderer, conversationCosts, wasTooLong } = this.#parts;
    const { ratio, isCached } = conversationCosts;
    const tokens = (chars: number) => Math.max(0, Math.round((chars / charsPerToken) * ratio));
    const answers = exchange.request.messages.filter(({ role }) => role === 'assistant').length;
    const isSameHead = (sent.view?.hasRecall ?? false) === (before.view?.hasRecall ?? false);
    const keptChars = isSameHead ? renderer.cachedChars(sent, before) : 0;
    return {
      calls: Math.max(2, Math.round(answers * expectedCallsShare)),
      savesTokens: tokens(before.chars - sent.chars),
      writesTokens: tokens(sent.chars - keptChars),
      isUncached: !isCached,
      isTooLong: wasTooLong,
    };
  }
}
