import type { Exchange, Tool } from '../../module-api.ts';
import type { Aside } from './aside.ts';
import { type CallWithTools, type Chosen, chosen, nothingChosen } from './choosing.ts';
import { type Decision, Decisions } from './decision.ts';
import { unread } from './deferred.ts';
import { mayChooseNow } from './early.ts';
import { tokensOf, withoutTools } from './left-out.ts';
import { forcedIn } from './needed.ts';
import { searchOf, wayOf } from './ways.ts';
import { isLosing, paysToStop } from './worth.ts';

interface Decided extends Decision {
  /** Tokens that were left out while nothing was asked for: from this call on the tools are others. */
  readonly waited?: number;
}

/** What is left out of one call: what was decided for its conversation before, or something else from now on. */
export class Deciding {
  readonly #call: CallWithTools;
  readonly #decisions: Decisions;
  /** Why all tools are sent, where nothing is left out. */
  aside: Aside = 'needed';

  constructor(call: CallWithTools) {
    this.#call = call;
    this.#decisions = new Decisions(call.exchange, call.kit, call.offered);
  }

  /** Undefined where the tools stay as they are. */
  async decided(): Promise<Decided | undefined> {
    const before = await this.#decisions.latest();
    const { isBreak } = this.#call.kit.prefix;
    if (before === undefined ? !isBreak : before.left.length === 0) this.aside = 'prefix';
    if (isBreak) return this.#atBreak(before);
    if (before === undefined || before.left.length === 0) return before;
    return this.#goingOn(before);
  }

  /** Where the provider keeps what was sent before, the tools stay what they were, unless it is worth more to change them. */
  async #goingOn(before: Decision): Promise<Decided | undefined> {
    const { exchange, kit } = this.#call;
    if (isForced(exchange, before)) {
      // The call would be refused. What is kept of the conversation is lost by that, once.
      this.aside = 'forced';
      await this.#decisions.decide(this.#all);
      return this.#all;
    }
    if (before.isEarly) return this.#atLast(before);
    if (!(await paysToStop(exchange, kit))) return before;
    this.aside = 'costs';
    return this.#decisions.decide(this.#all);
  }

  /** After small talk alone, what the first request needs. */
  async #atLast(before: Decision): Promise<Decided | undefined> {
    const { exchange, kit, offered } = this.#call;
    const now = await this.#chosen();
    if (now === undefined || now.isSmallTalk) return before;
    const left = stillLeft(before.left, now.left);
    const { request } = exchange;
    const edited =
      left.length === 0 ? request : { ...request, tools: withoutTools(request.tools ?? [], new Set(left)) };
    if (!mayChooseNow(exchange, { edited, tokens: before.tokens }, kit)) return before;
    const tokens = tokensOf(named(offered, left));
    const decided = await this.#decisions.decide({ left, way: before.way, tokens, isEarly: false });
    return decided && { ...decided, waited: before.tokens };
  }

  /** Where nothing is kept, they can be chosen anew. */
  async #atBreak(before: Decision | undefined): Promise<Decided | undefined> {
    const { exchange, kit, offered } = this.#call;
    const { left, isSmallTalk } = await this.#leftAtBreak(before);
    if (left.length === 0 && before === undefined) return undefined;
    // That nothing is left out any more is a decision, too, where there was another one before.
    const all = this.#all;
    const search = all.way === 'defer' ? searchOf(exchange, kit) : undefined;
    const tokens = tokensOf(named(offered, left).map((tool) => unread(tool, search)));
    const isEarly = isSmallTalk && all.way === 'find';
    const decided = await this.#decisions.decide({ ...all, left, tokens, isEarly });
    if (decided === undefined || !isForced(exchange, decided)) return decided;
    this.aside = 'forced';
    return all;
  }

  async #leftAtBreak(before: Decision | undefined): Promise<Chosen> {
    const { exchange, kit } = this.#call;
    if (await isLosing(exchange, kit)) {
      this.aside = 'costs';
      return nothingChosen;
    }
    const now = await this.#chosen();
    if (before === undefined) return now ?? nothingChosen;
    // What is not known to be of no use stays: a set that was chosen once only grows.
    return {
      left: stillLeft(before.left, now?.left),
      isSmallTalk: before.isEarly && (now?.isSmallTalk ?? true),
      isVague: false,
    };
  }

  async #chosen(): Promise<Chosen | undefined> {
    const now = await chosen(this.#call);
    if (now === undefined) this.aside = 'vectors';
    else if (now.isVague) this.aside = 'vague';
    return now;
  }

  /** That all tools are sent. */
  get #all(): Decision {
    const { exchange, kit } = this.#call;
    return { left: [], way: wayOf(exchange, kit), tokens: 0, isEarly: false };
  }
}

function isForced(exchange: Exchange, { left }: Decision): boolean {
  return forcedIn(exchange).some((one) => left.includes(one));
}

function named(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const wanted = new Set(names);
  return tools.filter((tool) => wanted.has(tool.name));
}

function stillLeft(before: readonly string[], now: readonly string[] | undefined): readonly string[] {
  if (now === undefined) return before;
  const chosenNow = new Set(now);
  return before.filter((one) => chosenNow.has(one));
}
