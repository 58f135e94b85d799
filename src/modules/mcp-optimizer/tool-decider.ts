import type { Exchange, StepEstimate, Tool } from '../../module-api.ts';
import { type CallWithTools, chooseOmission, noOmission, type ToolOmission } from './choose-omission.ts';
import { unreadPartOf } from './deferred-tools.ts';
import { stepAfterAllTools, stepAfterSmallTalk } from './early-choice.ts';
import { estimateToolTokens, removeTools } from './omitted-tools.ts';
import { forcedToolsOf } from './required-tools.ts';
import { providerToolSearchOf, retrievalModeOf } from './retrieval-mode.ts';
import { isLosing, paysToStop } from './savings.ts';
import type { SkipReason } from './skip-reason.ts';
import { type ToolDecision, ToolDecisionLog } from './tool-decision-log.ts';

interface CallDecision extends ToolDecision {
  /** The change of the cached prefix, in the call that chooses the tools late. */
  readonly step?: StepEstimate;
}

/** Decides which tools a call omits: those of the conversation's earlier decision, or new ones. */
export class ToolDecider {
  readonly #call: CallWithTools;
  readonly #log: ToolDecisionLog;
  /** Why nothing is omitted, if nothing is. */
  skipReason: SkipReason = 'needed';

  constructor(call: CallWithTools) {
    this.#call = call;
    this.#log = new ToolDecisionLog(call.exchange, call.kit, call.clientTools);
  }

  /** Undefined if the tools stay unchanged. */
  async decide(): Promise<CallDecision | undefined> {
    const before = await this.#log.latest();
    const { isBreak } = this.#call.kit.prefix;
    if (before === undefined ? !isBreak : before.omitted.length === 0) this.skipReason = 'prefix';
    if (before !== undefined && isUndecided(before))
      return isBreak ? this.#decideAtBreak(undefined) : this.#chooseLate(before);
    if (isBreak) return this.#decideAtBreak(before);
    if (before === undefined || before.omitted.length === 0) return before;
    return this.#continueDecision(before);
  }

  /** While the provider has the prefix cached, the tools stay the same unless changing them pays off. */
  async #continueDecision(before: ToolDecision): Promise<CallDecision | undefined> {
    const { exchange, kit } = this.#call;
    if (omitsForcedTool(exchange, before)) {
      // The provider would reject the call, so the cached prefix is given up once.
      this.skipReason = 'forced';
      await this.#log.decide(this.#sendAllTools);
      return this.#sendAllTools;
    }
    if (before.isEarly) return this.#chooseAfterSmallTalk(before);
    if (!(await paysToStop(exchange, kit))) return before;
    this.skipReason = 'costs';
    return this.#log.decide(this.#sendAllTools);
  }

  /** Chooses tools for the first request after small talk. */
  async #chooseAfterSmallTalk(before: ToolDecision): Promise<CallDecision | undefined> {
    const now = await this.#chooseOmission();
    if (now === undefined || now.isSmallTalk) return before;
    const omitted = stillOmitted(before.omitted, now.omitted);
    const { exchange, kit } = this.#call;
    return this.#changeTo(omitted, { before, step: stepAfterSmallTalk(exchange, before.tokens, kit) });
  }

  /** Chooses tools in a conversation whose first call found no vectors, as soon as that pays off. */
  async #chooseLate(before: ToolDecision): Promise<CallDecision | undefined> {
    const { exchange, clientTools, lists } = this.#call;
    const { omitted } = (await this.#chooseOmission()) ?? noOmission;
    if (omitted.length === 0) return before;
    const tokens = estimateToolTokens(toolsNamed(clientTools, omitted));
    const kept = lists.estimateTokens(clientTools) - tokens;
    return this.#changeTo(omitted, { before, step: stepAfterAllTools(exchange, { omitted: tokens, kept }) });
  }

  /** Omits other tools than before, if the change of the cached prefix pays off. */
  async #changeTo(
    omitted: readonly string[],
    { before, step }: { readonly before: ToolDecision; readonly step: StepEstimate },
  ): Promise<CallDecision | undefined> {
    const { exchange, kit, clientTools } = this.#call;
    const { request } = exchange;
    const edited =
      omitted.length === 0
        ? request
        : { ...request, tools: removeTools(request.tools ?? [], new Set(omitted)) };
    if (!kit.prefix.proposeStep(edited, step).isAllowed) return before;
    const tokens = estimateToolTokens(toolsNamed(clientTools, omitted));
    const decided = await this.#log.decide({ omitted, retrieval: before.retrieval, tokens, isEarly: false });
    return decided && { ...decided, step };
  }

  /** At a cache break, tools can be chosen anew. */
  async #decideAtBreak(before: ToolDecision | undefined): Promise<CallDecision | undefined> {
    const { exchange, kit, clientTools } = this.#call;
    const { omitted, isSmallTalk } = await this.#omissionAtBreak(before);
    if (omitted.length === 0 && before === undefined) {
      if (this.skipReason === 'vectors') await this.#log.decide({ ...this.#sendAllTools, isEarly: true });
      return undefined;
    }
    // Omitting nothing after an earlier omission is also a decision to store.
    const all = this.#sendAllTools;
    const search = all.retrieval === 'defer' ? providerToolSearchOf(exchange, kit) : undefined;
    const tokens = estimateToolTokens(
      toolsNamed(clientTools, omitted).map((tool) => unreadPartOf(tool, search)),
    );
    const isEarly = isSmallTalk && all.retrieval === 'find';
    const decided = await this.#log.decide({ ...all, omitted, tokens, isEarly });
    if (decided === undefined || !omitsForcedTool(exchange, decided)) return decided;
    this.skipReason = 'forced';
    return all;
  }

  async #omissionAtBreak(before: ToolDecision | undefined): Promise<ToolOmission> {
    const { exchange, kit } = this.#call;
    if (await isLosing(exchange, kit)) {
      this.skipReason = 'costs';
      return noOmission;
    }
    const now = await this.#chooseOmission();
    if (before === undefined) return now ?? noOmission;
    // Tools that were sent before stay: the set only grows.
    return {
      omitted: stillOmitted(before.omitted, now?.omitted),
      isSmallTalk: before.isEarly && (now?.isSmallTalk ?? true),
      isVague: false,
    };
  }

  async #chooseOmission(): Promise<ToolOmission | undefined> {
    const now = await chooseOmission(this.#call);
    if (now === undefined) this.skipReason = 'vectors';
    else if (now.isVague) this.skipReason = 'vague';
    return now;
  }

  /** The decision to send all tools. */
  get #sendAllTools(): ToolDecision {
    const { exchange, kit } = this.#call;
    return { omitted: [], retrieval: retrievalModeOf(exchange, kit), tokens: 0, isEarly: false };
  }
}

/** Whether all tools were sent because there were no vectors to choose by. */
function isUndecided({ isEarly, omitted }: ToolDecision): boolean {
  return isEarly && omitted.length === 0;
}

function omitsForcedTool(exchange: Exchange, { omitted }: ToolDecision): boolean {
  return forcedToolsOf(exchange).some((one) => omitted.includes(one));
}

function toolsNamed(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const wanted = new Set(names);
  return tools.filter((tool) => wanted.has(tool.name));
}

function stillOmitted(before: readonly string[], now: readonly string[] | undefined): readonly string[] {
  if (now === undefined) return before;
  const chosenNow = new Set(now);
  return before.filter((one) => chosenNow.has(one));
}
