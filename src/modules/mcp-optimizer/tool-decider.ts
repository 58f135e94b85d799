import type { Exchange, Tool } from '../../module-api.ts';
import { type CallWithTools, chooseOmission, noOmission, type ToolOmission } from './choose-omission.ts';
import { unreadPartOf } from './deferred-tools.ts';
import { mayChooseNow } from './early-choice.ts';
import { estimateToolTokens, removeTools } from './omitted-tools.ts';
import { forcedToolsOf } from './required-tools.ts';
import { providerToolSearchOf, retrievalModeOf } from './retrieval-mode.ts';
import { isLosing, paysToStop } from './savings.ts';
import type { SkipReason } from './skip-reason.ts';
import { type ToolDecision, ToolDecisionLog } from './tool-decision-log.ts';

interface CallDecision extends ToolDecision {
  /** Tokens that were left out while nothing was asked for: from this call on the tools are others. */
  readonly waited?: number;
}

/** What is left out of one call: what was decided for its conversation before, or something else from now on. */
export class ToolDecider {
  readonly #call: CallWithTools;
  readonly #log: ToolDecisionLog;
  /** Why all tools are sent, where nothing is left out. */
  skipReason: SkipReason = 'needed';

  constructor(call: CallWithTools) {
    this.#call = call;
    this.#log = new ToolDecisionLog(call.exchange, call.kit, call.clientTools);
  }

  /** Undefined where the tools stay as they are. */
  async decide(): Promise<CallDecision | undefined> {
    const before = await this.#log.latest();
    const { isBreak } = this.#call.kit.prefix;
    if (before === undefined ? !isBreak : before.omitted.length === 0) this.skipReason = 'prefix';
    if (isBreak) return this.#decideAtBreak(before);
    if (before === undefined || before.omitted.length === 0) return before;
    return this.#continueDecision(before);
  }

  /** Where the provider keeps what was sent before, the tools stay what they were, unless it is worth more to change them. */
  async #continueDecision(before: ToolDecision): Promise<CallDecision | undefined> {
    const { exchange, kit } = this.#call;
    if (omitsForcedTool(exchange, before)) {
      // The call would be refused. What is kept of the conversation is lost by that, once.
      this.skipReason = 'forced';
      await this.#log.decide(this.#sendAllTools);
      return this.#sendAllTools;
    }
    if (before.isEarly) return this.#chooseAfterSmallTalk(before);
    if (!(await paysToStop(exchange, kit))) return before;
    this.skipReason = 'costs';
    return this.#log.decide(this.#sendAllTools);
  }

  /** After small talk alone, what the first request needs. */
  async #chooseAfterSmallTalk(before: ToolDecision): Promise<CallDecision | undefined> {
    const { exchange, kit, clientTools } = this.#call;
    const now = await this.#chooseOmission();
    if (now === undefined || now.isSmallTalk) return before;
    const omitted = stillOmitted(before.omitted, now.omitted);
    const { request } = exchange;
    const edited =
      omitted.length === 0
        ? request
        : { ...request, tools: removeTools(request.tools ?? [], new Set(omitted)) };
    if (!mayChooseNow(exchange, { edited, tokens: before.tokens }, kit)) return before;
    const tokens = estimateToolTokens(toolsNamed(clientTools, omitted));
    const decided = await this.#log.decide({ omitted, retrieval: before.retrieval, tokens, isEarly: false });
    return decided && { ...decided, waited: before.tokens };
  }

  /** Where nothing is kept, they can be chosen anew. */
  async #decideAtBreak(before: ToolDecision | undefined): Promise<CallDecision | undefined> {
    const { exchange, kit, clientTools } = this.#call;
    const { omitted, isSmallTalk } = await this.#omissionAtBreak(before);
    if (omitted.length === 0 && before === undefined) return undefined;
    // That nothing is left out any more is a decision, too, where there was another one before.
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
    // What is not known to be of no use stays: a set that was chosen once only grows.
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

  /** That all tools are sent. */
  get #sendAllTools(): ToolDecision {
    const { exchange, kit } = this.#call;
    return { omitted: [], retrieval: retrievalModeOf(exchange, kit), tokens: 0, isEarly: false };
  }
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
