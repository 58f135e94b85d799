import { type ChatRequest, type Exchange, type Kit, type Message, personRef } from '../../module-api.ts';
import { Clearing } from './clearing.ts';
import { firstSent } from './first-sends.ts';
import { type LeftOut, leftOutBy, namedIn, type Originals } from './left-out.ts';
import { charsPerToken, lookAgainFactor, reckonedShare, stepShare, writeAheadShare } from './limits.ts';
import type { IpcOptions } from './options.ts';
import type { Room } from './plan.ts';
import { refOf } from './refs.ts';
import { Showing, type Shown } from './showing.ts';
import { type Candidate, Steps } from './steps.ts';
import { charsOf, isCompaction } from './text/blocks.ts';
import { sum, thoughtAnew, type View, type Views } from './view.ts';
import { fillsWindow } from './window.ts';
import { isLosing, nothingYet, type Sized, type Worth, worthOf } from './worth.ts';
import { Writing } from './writing.ts';

export interface ArrangingParts {
  readonly exchange: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly views: Views;
  /** Places about which a model is writing. */
  readonly underway: Set<string>;
  /** What a request may grow to, where that is known. */
  readonly targetChars: number | undefined;
}

type Aside = 'small' | 'window' | 'compacted-by-provider' | 'costs' | 'thinking' | 'recent' | 'prefix';

type Offer = (request: ChatRequest) => ChatRequest;

interface Came extends Originals {
  readonly showing: Showing;
}

/** How a conversation is sent in one call: as it was sent before, or from now on in another way. */
export class Arranging {
  readonly #parts: ArrangingParts;
  readonly #writing: Writing;
  #came: Exchange | undefined;
  #view: View | undefined;
  worth: Worth = nothingYet;
  sized: Sized | undefined;
  /** Why everything is sent as it came, where it is. */
  aside: Aside | undefined;
  /** What its provider said of what was sent first. */
  #refusal: { readonly failure: unknown; readonly chars: number } | undefined;

  constructor(parts: ArrangingParts) {
    this.#parts = parts;
    this.#writing = new Writing(parts);
  }

  /** What the client sent, with our part of earlier turns. */
  get whole(): readonly Message[] {
    return this.#came?.request.messages ?? [];
  }

  /** What stands in the request as kept under a name. */
  named(ref: string): readonly Message[] | undefined {
    return this.#came === undefined ? undefined : namedIn(this.#came, this.#view, ref);
  }

  /** Once, when the provider has said that it is too long. */
  mayGoFurther(failure: unknown): boolean {
    const { kit } = this.#parts;
    if (this.#isRefused || this.#came === undefined) return false;
    if (kit.prefix.isThinking && !new Clearing({ came: this.#came, kit, worth: this.worth }).isOffered)
      return false;
    this.#refusal = { failure, chars: (this.sized?.sentTokens ?? Number.POSITIVE_INFINITY) * charsPerToken };
    return true;
  }

  get #isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  async arranged(request: ChatRequest, offer: Offer): Promise<ChatRequest> {
    const { exchange, kit, targetChars } = this.#parts;
    const came = request === exchange.request ? exchange : exchange.with({ request });
    this.#came = came;
    const messages = await firstSent(came, kit.ledger, (ref, message) =>
      this.#archive([{ ref, content: [message] }]),
    );
    const first = messages === request.messages ? came : exchange.with({ request: { ...request, messages } });
    const showing = new Showing({ first, client: exchange.request, targetChars, offer });
    const fullChars = showing.fixedChars + sum(request.messages.map(charsOf));
    const goal = this.#isRefused ? Math.min(targetChars ?? fullChars, fullChars) : targetChars;
    const isSmall = goal === undefined || (fullChars < goal && !this.#isRefused);
    this.aside = goal === undefined ? 'window' : 'small';
    if (isSmall && first === came && fullChars < (goal ?? 0) * reckonedShare) return first.request;
    this.worth = await worthOf(exchange, kit);
    if (!isSmall) return this.#smaller({ came, first, showing }, goal, fullChars);
    // Nothing is old enough to be left out.
    const { request: sent, chars } = showing.as(undefined);
    if (goal !== undefined && fullChars > goal * writeAheadShare) await this.#writing.begin(came, undefined);
    this.#size(chars, fullChars, false);
    return sent;
  }

  async #smaller(call: Came, goal: number, fullChars: number): Promise<ChatRequest> {
    const { kit, views } = this.#parts;
    if (call.came.request.messages.some(isCompaction)) {
      this.aside = 'compacted-by-provider';
      return call.first.request;
    }
    const known = await views.of(call.came, kit.ledger);
    if (known.length === 0) this.#noteAnew(fullChars);
    const isLost = kit.prefix.isBreak && this.#isLosing;
    if (isLost) kit.note({ aside: 'costs' });
    const base = isLost ? await this.#whole(call, known) : await this.#current(call, known);
    const clearing = new Clearing({ came: call.came, kit, worth: this.worth });
    const current = await clearing.applied(base);
    const isIdle = (this.#isLosing && !this.#fillsWindow(current.chars)) || !this.#isDue(current, goal);
    const next = isIdle ? undefined : await this.#further(call, { base, current, goal, clearing });
    const { request: sent, chars, view } = next ?? current;
    this.#view = view;
    if (this.#refusal !== undefined && chars >= this.#refusal.chars) throw this.#refusal.failure;
    if (chars > goal * writeAheadShare) await this.#writing.begin(call.came, view);
    this.aside = this.#whyWhole(chars);
    this.#size(chars, fullChars, next !== undefined);
    return sent;
  }

  /** Where it has cost more than it saved, everything is sent from the next break on, and nothing is tried again. */
  get #isLosing(): boolean {
    return isLosing(this.worth) && !this.#isRefused;
  }

  /** A client that has made its conversation smaller by itself begins anew. */
  #noteAnew(fullChars: number): void {
    const { fullTokens, ratio } = this.worth;
    if (fullTokens <= (fullChars / charsPerToken) * ratio * 1.2) return;
    this.#parts.kit.note({ client: 'compacted' });
    this.worth = { ...this.worth, lookChars: 0, fullTokens: 0 };
  }

  #size(chars: number, fullChars: number, isStep: boolean): void {
    const { kit } = this.#parts;
    const [sentTokens, fullTokens] = [chars / charsPerToken, fullChars / charsPerToken];
    this.sized = { sentTokens, fullTokens, isWarm: !kit.prefix.isBreak, isStep };
    if (chars === fullChars) return;
    this.aside = undefined;
    kit.note({ tokens: `${Math.round(sentTokens)}/${Math.round(fullTokens)}` });
  }

  #whyWhole(chars: number): Aside {
    const { prefix } = this.#parts.kit;
    if (this.#isLosing) return 'costs';
    if (prefix.isThinking) return 'thinking';
    return prefix.isBreak || this.#isRefused || this.#fillsWindow(chars) ? 'recent' : 'prefix';
  }

  /** All of it again, but for what was thought about less. */
  async #whole({ came, showing }: Came, known: readonly View[]): Promise<Shown> {
    if (known.length === 0) return showing.as(undefined);
    const { kit, views } = this.#parts;
    const view: View = { pieces: [], hasRecall: false, since: showing.count };
    return showing.as(await views.decide(came, view, { ledger: kit.ledger }));
  }

  /** As this branch was sent before; what others decided for it meanwhile is asked for like a step. */
  async #current({ came, showing }: Came, known: readonly View[]): Promise<Shown> {
    const { kit, views } = this.#parts;
    const whole = showing.as(undefined);
    for (const view of known) {
      const sent = showing.as(view);
      if (kit.prefix.isBreak || kit.prefix.keeps(sent.request)) return sent;
      if (this.#isLosing) continue;
      const anew = showing.as({ ...view, since: showing.count });
      const expected = this.#steps(showing).expected(anew, whole);
      if (!kit.prefix.mayStep(anew.request, expected).isAllowed) continue;
      const decided = await views.decide(came, anew.view ?? view, { ledger: kit.ledger });
      const adopted = decided === undefined ? anew : showing.as(decided);
      if (kit.prefix.mayStep(adopted.request, expected).isAllowed) return adopted;
    }
    return whole;
  }

  #steps(showing: Showing): Steps {
    const { exchange, kit } = this.#parts;
    return new Steps({ exchange, kit, showing, worth: this.worth, isRefused: this.#isRefused });
  }

  async #further(
    call: Came,
    {
      base,
      current,
      goal,
      clearing,
    }: Record<'base' | 'current', Shown> & { goal: number; clearing: Clearing },
  ): Promise<Shown | undefined> {
    if (!this.#parts.kit.prefix.isThinking) return this.#stepped(call, current, goal);
    const isRequired = this.#isRefused || this.#fillsWindow(current.chars);
    const cleared = await clearing.further(base, { current, isRequired });
    this.worth = {
      ...this.worth,
      lookChars: cleared === undefined ? current.chars * lookAgainFactor : 0,
    };
    if (cleared !== undefined) this.#parts.kit.note({ cleared: 'by-provider' });
    return cleared;
  }

  /** Undefined where everything stays as it is. */
  async #stepped(call: Came, current: Shown, goal: number): Promise<Shown | undefined> {
    const { kit, views } = this.#parts;
    const { came, showing } = call;
    const room = this.#room(call, current.view, await this.#writing.ready(came, current.view));
    const best = this.#best(showing, { room, current, goal });
    if (best === undefined) return undefined;
    if (!kit.prefix.mayStep(best.sent.request, best.expected).isAllowed) return undefined;
    const deciding = { ledger: kit.ledger, isRefused: this.#isRefused };
    const decided = await views.decide(came, best.view, deciding);
    if (decided === undefined) return undefined;
    const sent = showing.as(decided);
    if (!kit.prefix.mayStep(sent.request, best.expected).isAllowed) return undefined;
    this.#archive(leftOutBy(decided, current.view, call));
    return sent;
  }

  #best(
    showing: Showing,
    { room, current, goal }: { readonly room: Room; readonly current: Shown; readonly goal: number },
  ): Candidate | undefined {
    const steps = this.#steps(showing);
    const isRequired = this.#isRefused || this.#fillsWindow(current.chars);
    if (this.#parts.kit.prefix.isBreak || isRequired) {
      this.worth = { ...this.worth, lookChars: 0 };
      return steps.free(current, room, goal);
    }
    const { step, lookChars } = steps.best(current, room, goal);
    this.worth = { ...this.worth, lookChars };
    return step;
  }

  /** When the call is over: until then the client has it all. */
  #archive(leftOut: readonly LeftOut[]): void {
    const { exchange, kit } = this.#parts;
    const { archive: ttlSeconds, scope } = kit.options;
    const person = scope === 'account' ? null : personRef(exchange.received, kit.scope);
    const { name: conversation } = exchange.conversation;
    if (leftOut.length === 0) return;
    kit.later(async () => {
      await kit.archive.put(leftOut.map((one) => ({ ...one, conversation, person, ttlSeconds })));
    });
  }

  #isDue({ chars, view }: Shown, goal: number): boolean {
    if (this.#isRefused || this.#fillsWindow(chars)) return true;
    // What was done in small steps is done properly where that costs nothing.
    const isPatched = view?.pieces.every(({ kind }) => kind === 'shortened');
    if (this.#parts.kit.prefix.isBreak && isPatched === true && chars > goal * stepShare) return true;
    return chars >= goal && (this.#parts.kit.prefix.isBreak || chars >= this.worth.lookChars);
  }

  #fillsWindow(chars: number): boolean {
    const { exchange, kit } = this.#parts;
    return fillsWindow(chars, exchange, { catalog: kit.catalog, ratio: this.worth.ratio });
  }

  #room({ came, first, showing }: Came, view: View | undefined, written: Room['written']): Room {
    const messages = thoughtAnew(first.request.messages, view?.since ?? 0);
    return {
      messages,
      chars: thoughtAnew(messages, messages.length).map(charsOf),
      fixedChars: showing.fixedChars,
      keepTurns: this.#parts.kit.options.keep_turns,
      ref: (from, to) => refOf(came.conversation, from, to),
      written,
    };
  }
}
