import type { CallCompactionParts, RejectedAttempt } from './call-compaction.ts';
import {
  explainUnchanged,
  isStepDue,
  type StepConditions,
  type UnchangedReason,
} from './compaction-policy.ts';
import { type ConversationCosts, isLosing } from './conversation-costs.ts';
import { holdRetryShare, nextAttemptGrowth, requiredShare } from './limits.ts';
import { archiveLater, findNewlyOmitted, type OriginalConversation } from './omitted-messages.ts';
import type { PlanInput } from './plan.ts';
import { RecordWriter } from './record-writer.ts';
import { refOf } from './refs.ts';
import type { RenderedRequest, RequestRenderer } from './request-renderer.ts';
import { type PlannedStep, StepPlanner } from './step-planner.ts';
import { charsOf } from './text/blocks.ts';
import { ToolResultClearing } from './tool-result-clearing.ts';
import { removeThoughtsBefore, type View } from './view.ts';
import { windowCharsOf } from './window.ts';

/** A call whose conversation is above its goal. */
export interface LargeCall extends CallCompactionParts, OriginalConversation {
  readonly renderer: RequestRenderer;
  readonly goalChars: number;
  readonly costs: ConversationCosts;
  readonly rejected: RejectedAttempt | undefined;
  /** Whether requests are kept below the goal at any cost. */
  readonly isHeld: boolean;
  /** Whether the newest turn is cut to fit into the context window. */
  readonly isNewestCut: boolean;
}

interface CompactedConversation {
  readonly sent: RenderedRequest;
  /** Whether a step was taken. */
  readonly isStep: boolean;
  readonly costs: ConversationCosts;
  /** Why the request is unchanged, if it is. */
  readonly unchangedReason: UnchangedReason;
}

/** The request after a step, if one was taken, and the size at which to look for the next one. */
interface StepResult {
  readonly sent?: RenderedRequest;
  readonly lookChars: number;
}

/** Compacts a conversation for one attempt: repeats earlier steps, and takes a further one if it is due. */
export class ConversationCompaction {
  readonly #call: LargeCall;
  /** Compaction that costs more than it saves stops: from the next cache break on, everything is sent. */
  readonly #isLosing: boolean;
  readonly #planner: StepPlanner;

  constructor(call: LargeCall) {
    this.#call = call;
    this.#isLosing = !call.isHeld && isLosing(call.costs) && call.rejected === undefined;
    this.#planner = new StepPlanner(call);
  }

  async compact(): Promise<CompactedConversation> {
    const { incoming, kit, viewStore, goalChars, rejected, costs } = this.#call;
    const views = await viewStore.load(incoming, kit.decisions);
    const base = await this.#renderBase(views);
    const clearing = new ToolResultClearing({ incoming, kit, costs });
    const current = await clearing.applyDecided(base);

    const conditions = this.#conditionsOf(current);
    const isDue = isStepDue(current, goalChars, { ...conditions, lookChars: costs.lookChars });
    const takeStep = () =>
      conditions.isThinking
        ? this.#clearToolResults(clearing, { base, current, isRequired: conditions.isRequired })
        : this.#replaceMessages(current, conditions);
    const step = isDue ? await takeStep() : undefined;

    const sent = await this.#offerRecall(step?.sent ?? current);
    if (rejected !== undefined && sent.chars >= rejected.chars) throw rejected.failure;
    return {
      sent,
      isStep: sent !== current,
      costs: step === undefined ? costs : { ...costs, lookChars: step.lookChars },
      unchangedReason: explainUnchanged(conditions),
    };
  }

  #conditionsOf({ chars }: RenderedRequest): StepConditions {
    const { exchange, kit, costs, rejected, goalChars, isHeld, isLeftAlone } = this.#call;
    const { prefix } = kit;
    const windowChars = windowCharsOf(exchange, kit, costs) ?? Number.POSITIVE_INFINITY;
    const isAboveHeldTarget = isHeld && chars > goalChars && chars >= costs.lookChars;
    return {
      isRequired: rejected !== undefined || chars > windowChars || isAboveHeldTarget,
      isLeftAlone,
      isLosing: this.#isLosing,
      isBreak: prefix.isBreak,
      isThinking: prefix.isThinking,
    };
  }

  /** The conversation before a further step. */
  async #renderBase(views: readonly View[]): Promise<RenderedRequest> {
    const { kit } = this.#call;
    if (!kit.prefix.isBreak || !this.#isLosing) return this.#renderCurrent(views);
    kit.note({ aside: 'costs' });
    return this.#renderFull(views);
  }

  /** Sends everything again, without the thinking blocks that refer to the compacted conversation. */
  async #renderFull(views: readonly View[]): Promise<RenderedRequest> {
    const { renderer } = this.#call;
    if (views.length === 0) return renderer.render(undefined);
    return renderer.render(
      await this.#decide({ pieces: [], hasRecall: false, since: renderer.messageCount }),
    );
  }

  /** The view this branch was last sent with. A view decided by another branch needs permission like a step. */
  async #renderCurrent(views: readonly View[]): Promise<RenderedRequest> {
    const { renderer, kit } = this.#call;
    const { prefix } = kit;
    for (const view of views) {
      const sent = renderer.render(view);
      if (prefix.isBreak || prefix.isPreserved(sent.request)) return sent;
      if (this.#isLosing) continue;
      const anew = renderer.render({ ...view, since: renderer.messageCount });
      const expected = this.#planner.expected(anew, renderer.render(undefined));
      if (!prefix.proposeStep(anew.request, expected).isAllowed) continue;
      const decided = await this.#decide(anew.view ?? view);
      const adopted = decided === undefined ? anew : renderer.render(decided);
      if (prefix.proposeStep(adopted.request, expected).isAllowed) return adopted;
    }
    return renderer.render(undefined);
  }

  /** Has the provider clear older tool results, which is possible in a tool loop with thinking. */
  async #clearToolResults(
    clearing: ToolResultClearing,
    { base, ...how }: Record<'base' | 'current', RenderedRequest> & Pick<StepConditions, 'isRequired'>,
  ): Promise<StepResult> {
    const cleared = await clearing.clearMore(base, how);
    if (cleared === undefined) return { lookChars: how.current.chars * nextAttemptGrowth };
    this.#call.kit.note({ cleared: 'by-provider' });
    return { sent: cleared, lookChars: 0 };
  }

  /** Replaces more of the older messages by a new view. */
  async #replaceMessages(
    current: RenderedRequest,
    { isBreak, isRequired }: StepConditions,
  ): Promise<StepResult> {
    const { exchange, kit, renderer, rejected, goalChars } = this.#call;
    const planInput = await this.#createPlanInput(current.view);
    const { step, lookChars } = await this.#planStep(current, planInput, { isBreak, isRequired });
    if (step === undefined || !kit.prefix.proposeStep(step.rendered.request, step.expected).isAllowed)
      return { lookChars };
    const view = await this.#decide(step.view, rejected !== undefined);
    if (view === undefined) return { lookChars };
    const sent = renderer.render(view);
    if (!kit.prefix.proposeStep(sent.request, step.expected).isAllowed) return { lookChars };
    archiveLater(findNewlyOmitted(view, current.view, this.#call), exchange, kit);
    return {
      sent,
      lookChars: sent.chars > goalChars * requiredShare ? sent.chars + goalChars * holdRetryShare : lookChars,
    };
  }

  /** Adds the `recall` tool if the newest turn is cut. */
  async #offerRecall(sent: RenderedRequest): Promise<RenderedRequest> {
    const { kit, renderer, rejected, isNewestCut } = this.#call;
    if (!isNewestCut || kit.prefix.isThinking || sent.view?.hasRecall === true) return sent;
    const view = { pieces: sent.view?.pieces ?? [], hasRecall: true, since: renderer.messageCount };
    const decided = await this.#decide(view, rejected !== undefined);
    const offered = decided === undefined ? sent : renderer.render(decided);
    const expected = { ...this.#planner.expected(offered, sent), isTooLong: true };
    return kit.prefix.proposeStep(offered.request, expected).isAllowed ? offered : sent;
  }

  #planStep(
    current: RenderedRequest,
    planInput: PlanInput,
    { isBreak, isRequired }: Pick<StepConditions, 'isBreak' | 'isRequired'>,
  ): Promise<PlannedStep> {
    if (isBreak || this.#call.rejected !== undefined) return this.#planner.planFreeStep(current, planInput);
    return isRequired
      ? this.#planner.planRequiredStep(current, planInput)
      : this.#planner.planPaidStep(current, planInput);
  }

  async #createPlanInput(view: View | undefined): Promise<PlanInput> {
    const { incoming, firstSent, renderer, kit } = this.#call;
    const messages = removeThoughtsBefore(firstSent.request.messages, view?.since ?? 0);
    return {
      messages,
      chars: removeThoughtsBefore(messages, messages.length).map(charsOf),
      fixedChars: renderer.fixedChars,
      keepTurns: kit.options.keep_turns,
      ref: (from, to) => refOf(incoming.conversation, from, to),
      findWrittenRecord: await new RecordWriter(this.#call).loadWritten(incoming, view),
    };
  }

  /** Stores the view, unless another call has already decided on one. */
  #decide(view: View, isRefused = false): Promise<View | undefined> {
    const { incoming, kit, viewStore } = this.#call;
    return viewStore.decide(incoming, view, { decisionLog: kit.decisions, isRefused });
  }
}
