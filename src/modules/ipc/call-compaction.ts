import { type ChatRequest, type Exchange, endUserRefOf, type Kit, type Message } from '../../module-api.ts';
import { shrinkBigResults } from './big-results.ts';
import { type CallSize, type ConversationCosts, isLosing, loadCosts, noCosts } from './conversation-costs.ts';
import { charsPerToken, costTrackingShare, nextAttemptGrowth, stepShare, writeAheadShare } from './limits.ts';
import {
  findByRef,
  findNewlyOmitted,
  type OmittedMessages,
  type OriginalConversation,
} from './omitted-messages.ts';
import type { IpcOptions } from './options.ts';
import type { PlanInput } from './plan.ts';
import { RecordWriter } from './record-writer.ts';
import { refOf } from './refs.ts';
import { type RenderedRequest, RequestRenderer } from './request-renderer.ts';
import { type StepCandidate, StepPlanner } from './step-planner.ts';
import { charsOf, hasCompaction } from './text/blocks.ts';
import { ToolResultClearing } from './tool-result-clearing.ts';
import { removeThoughtsBefore, sum, type View, type ViewStore } from './view.ts';
import { fillsWindow } from './window.ts';

export interface CallCompactionParts {
  readonly exchange: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly viewStore: ViewStore;
  /** Decision keys of the records that a model is writing. */
  readonly recordsInProgress: Set<string>;
  /** The target size of a request; undefined if unknown. */
  readonly targetChars: number | undefined;
}

type UnchangedReason =
  | 'small'
  | 'window'
  | 'compacted-by-provider'
  | 'costs'
  | 'thinking'
  | 'recent'
  | 'prefix';

type AddRecallTool = (request: ChatRequest) => ChatRequest;

interface CompactionInput extends OriginalConversation {
  readonly renderer: RequestRenderer;
}

/** Decides how a conversation is sent in one call: with its current view, or with a new one. */
export class CallCompaction {
  readonly #parts: CallCompactionParts;
  readonly #recordWriter: RecordWriter;
  #incoming: Exchange | undefined;
  #view: View | undefined;
  costs: ConversationCosts = noCosts;
  size: CallSize | undefined;
  /** Why the request is sent unchanged, if it is. */
  unchangedReason: UnchangedReason | undefined;
  /** The provider's error for a first attempt that was too long. */
  #tooLong: { readonly failure: unknown; readonly chars: number } | undefined;

  constructor(parts: CallCompactionParts) {
    this.#parts = parts;
    this.#recordWriter = new RecordWriter(parts);
  }

  /** The client's messages, with the gateway's part of earlier turns. */
  get originalMessages(): readonly Message[] {
    return this.#incoming?.request.messages ?? [];
  }

  /** The original messages behind a ref in the request. */
  findOriginal(ref: string): readonly Message[] | undefined {
    return this.#incoming === undefined ? undefined : findByRef(this.#incoming, this.#view, ref);
  }

  /** Allows one retry after the provider rejected the request as too long. */
  prepareRetry(failure: unknown): boolean {
    const { kit } = this.#parts;
    if (this.#wasTooLong || this.#incoming === undefined) return false;
    if (
      kit.prefix.isThinking &&
      !new ToolResultClearing({ incoming: this.#incoming, kit, conversationCosts: this.costs }).isSupported
    )
      return false;
    this.#tooLong = { failure, chars: (this.size?.sentTokens ?? Number.POSITIVE_INFINITY) * charsPerToken };
    return true;
  }

  get #wasTooLong(): boolean {
    return this.#tooLong !== undefined;
  }

  async compactRequest(request: ChatRequest, addRecallTool: AddRecallTool): Promise<ChatRequest> {
    const { exchange, kit, targetChars } = this.#parts;
    const incoming = request === exchange.request ? exchange : exchange.with({ request });
    this.#incoming = incoming;
    const messages = await shrinkBigResults(incoming, kit.decisions, (ref, message) =>
      this.#archiveLater([{ ref, content: [message] }]),
    );
    const firstSent =
      messages === request.messages ? incoming : exchange.with({ request: { ...request, messages } });
    const renderer = new RequestRenderer({ firstSent, client: exchange.request, targetChars, addRecallTool });
    const fullChars = renderer.fixedChars + sum(request.messages.map(charsOf));
    const goal = this.#wasTooLong ? Math.min(targetChars ?? fullChars, fullChars) : targetChars;
    const isSmall = goal === undefined || (fullChars < goal && !this.#wasTooLong);
    this.unchangedReason = goal === undefined ? 'window' : 'small';
    if (isSmall && firstSent === incoming && fullChars < (goal ?? 0) * costTrackingShare)
      return firstSent.request;
    this.costs = await loadCosts(exchange, kit);
    if (!isSmall) return this.#compact({ incoming, firstSent, renderer }, goal, fullChars);
    // Small enough to be sent without compaction.
    const { request: sent, chars } = renderer.render(undefined);
    if (goal !== undefined && fullChars > goal * writeAheadShare)
      await this.#recordWriter.writeLater(incoming, undefined);
    this.#recordSize(chars, fullChars, false);
    return sent;
  }

  async #compact(call: CompactionInput, goal: number, fullChars: number): Promise<ChatRequest> {
    const { kit, viewStore } = this.#parts;
    if (call.incoming.request.messages.some(hasCompaction)) {
      this.unchangedReason = 'compacted-by-provider';
      return call.firstSent.request;
    }
    const views = await viewStore.load(call.incoming, kit.decisions);
    if (views.length === 0) this.#noteClientCompaction(fullChars);
    const isLost = kit.prefix.isBreak && this.#isLosing;
    if (isLost) kit.note({ aside: 'costs' });
    const base = isLost ? await this.#renderFull(call, views) : await this.#renderCurrent(call, views);
    const toolResultClearing = new ToolResultClearing({
      incoming: call.incoming,
      kit,
      conversationCosts: this.costs,
    });
    const current = await toolResultClearing.applyDecided(base);
    const isIdle = (this.#isLosing && !this.#fillsWindow(current.chars)) || !this.#isStepDue(current, goal);
    const next = isIdle
      ? undefined
      : await this.#compactFurther(call, { base, current, goal, clearing: toolResultClearing });
    const { request: sent, chars, view } = next ?? current;
    this.#view = view;
    if (this.#tooLong !== undefined && chars >= this.#tooLong.chars) throw this.#tooLong.failure;
    if (chars > goal * writeAheadShare) await this.#recordWriter.writeLater(call.incoming, view);
    this.unchangedReason = this.#explainUnchanged(chars);
    this.#recordSize(chars, fullChars, next !== undefined);
    return sent;
  }

  /** If compaction costs more than it saves, it stops: from the next cache break on, everything is sent. */
  get #isLosing(): boolean {
    return isLosing(this.costs) && !this.#wasTooLong;
  }

  /** Resets the costs when the client has compacted the conversation itself. */
  #noteClientCompaction(fullChars: number): void {
    const { fullTokens, ratio } = this.costs;
    if (fullTokens <= (fullChars / charsPerToken) * ratio * 1.2) return;
    this.#parts.kit.note({ client: 'compacted' });
    this.costs = { ...this.costs, lookChars: 0, fullTokens: 0 };
  }

  #recordSize(chars: number, fullChars: number, isStep: boolean): void {
    const { kit } = this.#parts;
    const [sentTokens, fullTokens] = [chars / charsPerToken, fullChars / charsPerToken];
    this.size = { sentTokens, fullTokens, isWarm: !kit.prefix.isBreak, isStep };
    if (chars === fullChars) return;
    this.unchangedReason = undefined;
    kit.note({ tokens: `${Math.round(sentTokens)}/${Math.round(fullTokens)}` });
  }

  #explainUnchanged(chars: number): UnchangedReason {
    const { prefix } = this.#parts.kit;
    if (this.#isLosing) return 'costs';
    if (prefix.isThinking) return 'thinking';
    return prefix.isBreak || this.#wasTooLong || this.#fillsWindow(chars) ? 'recent' : 'prefix';
  }

  /** Sends everything again, without the thinking blocks that refer to the compacted conversation. */
  async #renderFull(
    { incoming, renderer }: CompactionInput,
    views: readonly View[],
  ): Promise<RenderedRequest> {
    if (views.length === 0) return renderer.render(undefined);
    const { kit, viewStore } = this.#parts;
    const view: View = { pieces: [], hasRecall: false, since: renderer.messageCount };
    return renderer.render(await viewStore.decide(incoming, view, { decisionLog: kit.decisions }));
  }

  /** The view this branch was last sent with. A view decided by another branch needs permission like a step. */
  async #renderCurrent(
    { incoming, renderer }: CompactionInput,
    views: readonly View[],
  ): Promise<RenderedRequest> {
    const { kit, viewStore } = this.#parts;
    const whole = renderer.render(undefined);
    for (const view of views) {
      const sent = renderer.render(view);
      if (kit.prefix.isBreak || kit.prefix.isPreserved(sent.request)) return sent;
      if (this.#isLosing) continue;
      const anew = renderer.render({ ...view, since: renderer.messageCount });
      const expected = this.#createPlanner(renderer).expected(anew, whole);
      if (!kit.prefix.proposeStep(anew.request, expected).isAllowed) continue;
      const decided = await viewStore.decide(incoming, anew.view ?? view, { decisionLog: kit.decisions });
      const adopted = decided === undefined ? anew : renderer.render(decided);
      if (kit.prefix.proposeStep(adopted.request, expected).isAllowed) return adopted;
    }
    return whole;
  }

  #createPlanner(renderer: RequestRenderer): StepPlanner {
    const { exchange, kit } = this.#parts;
    return new StepPlanner({
      exchange,
      kit,
      renderer,
      conversationCosts: this.costs,
      wasTooLong: this.#wasTooLong,
    });
  }

  async #compactFurther(
    call: CompactionInput,
    {
      base,
      current,
      goal,
      clearing: toolResultClearing,
    }: Record<'base' | 'current', RenderedRequest> & { goal: number; clearing: ToolResultClearing },
  ): Promise<RenderedRequest | undefined> {
    if (!this.#parts.kit.prefix.isThinking) return this.#takeStep(call, current, goal);
    const isRequired = this.#wasTooLong || this.#fillsWindow(current.chars);
    const cleared = await toolResultClearing.clearMore(base, { current, isRequired });
    this.costs = {
      ...this.costs,
      lookChars: cleared === undefined ? current.chars * nextAttemptGrowth : 0,
    };
    if (cleared !== undefined) this.#parts.kit.note({ cleared: 'by-provider' });
    return cleared;
  }

  /** Undefined if no step is taken. */
  async #takeStep(
    call: CompactionInput,
    current: RenderedRequest,
    goal: number,
  ): Promise<RenderedRequest | undefined> {
    const { kit, viewStore } = this.#parts;
    const { incoming, renderer } = call;
    const planInput = this.#createPlanInput(
      call,
      current.view,
      await this.#recordWriter.loadWritten(incoming, current.view),
    );
    const best = this.#chooseStep(renderer, { room: planInput, current, goal });
    if (best === undefined) return undefined;
    if (!kit.prefix.proposeStep(best.rendered.request, best.expected).isAllowed) return undefined;
    const deciding = { decisionLog: kit.decisions, isRefused: this.#wasTooLong };
    const decided = await viewStore.decide(incoming, best.view, deciding);
    if (decided === undefined) return undefined;
    const sent = renderer.render(decided);
    if (!kit.prefix.proposeStep(sent.request, best.expected).isAllowed) return undefined;
    this.#archiveLater(findNewlyOmitted(decided, current.view, call));
    return sent;
  }

  #chooseStep(
    requestRenderer: RequestRenderer,
    {
      room: planInput,
      current,
      goal,
    }: { readonly room: PlanInput; readonly current: RenderedRequest; readonly goal: number },
  ): StepCandidate | undefined {
    const stepPlanner = this.#createPlanner(requestRenderer);
    const isRequired = this.#wasTooLong || this.#fillsWindow(current.chars);
    if (this.#parts.kit.prefix.isBreak || isRequired) {
      this.costs = { ...this.costs, lookChars: 0 };
      return stepPlanner.planFreeStep(current, planInput, goal);
    }
    const { step, lookChars } = stepPlanner.planPaidStep(current, planInput, goal);
    this.costs = { ...this.costs, lookChars };
    return step;
  }

  /** Archives after the call; until then the client has the content. */
  #archiveLater(omitted: readonly OmittedMessages[]): void {
    const { exchange, kit } = this.#parts;
    const { archive: ttlSeconds, scope } = kit.options;
    const person = scope === 'account' ? null : endUserRefOf(exchange.clientRequest, kit.scope);
    const { name: conversation } = exchange.conversation;
    if (omitted.length === 0) return;
    kit.runInBackground(async () => {
      await kit.archive.put(omitted.map((one) => ({ ...one, conversation, person, ttlSeconds })));
    });
  }

  #isStepDue({ chars, view }: RenderedRequest, goal: number): boolean {
    if (this.#wasTooLong || this.#fillsWindow(chars)) return true;
    // Replaces several small steps by a full one at a cache break, where it costs nothing.
    const isPatched = view?.pieces.every(({ kind }) => kind === 'shortened');
    if (this.#parts.kit.prefix.isBreak && isPatched === true && chars > goal * stepShare) return true;
    return chars >= goal && (this.#parts.kit.prefix.isBreak || chars >= this.costs.lookChars);
  }

  #fillsWindow(chars: number): boolean {
    const { exchange, kit } = this.#parts;
    return fillsWindow(chars, exchange, { catalog: kit.catalog, ratio: this.costs.ratio });
  }

  #createPlanInput(
    { incoming, firstSent, renderer }: CompactionInput,
    view: View | undefined,
    findWrittenRecord: PlanInput['findWrittenRecord'],
  ): PlanInput {
    const messages = removeThoughtsBefore(firstSent.request.messages, view?.since ?? 0);
    return {
      messages,
      chars: removeThoughtsBefore(messages, messages.length).map(charsOf),
      fixedChars: renderer.fixedChars,
      keepTurns: this.#parts.kit.options.keep_turns,
      ref: (from, to) => refOf(incoming.conversation, from, to),
      findWrittenRecord,
    };
  }
}
