import { hash } from 'node:crypto';
import type { Block, ChatRequest, Exchange, Kit, Message } from '../../module-api.ts';
import { firstSent } from './first-sends.ts';
import {
  anchorShare,
  breakShare,
  charsPerToken,
  firstShare,
  furtherCallsShare,
  lookAgainFactor,
  reckonedShare,
  savesTimes,
  stepShare,
  windowShare,
  writeAheadShare,
} from './limits.ts';
import { anchorsIn, hasMarkers, type Place, withMarkers } from './markers.ts';
import type { IpcOptions } from './options.ts';
import { planned, type Room } from './plan.ts';
import { blockChars, blocksOf, charsOf } from './text/blocks.ts';
import { type Piece, shown, sum, type View, type Views } from './view.ts';
import { allowance, isLosing, nothingYet, type Sized, type Worth, worthOf } from './worth.ts';
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

type Offer = (request: ChatRequest) => ChatRequest;

/** A request as it is sent. */
interface Shown {
  readonly view: View | undefined;
  /** Without markers. */
  readonly messages: readonly Message[];
  readonly request: ChatRequest;
  readonly chars: number;
}

/** How a conversation is sent in one call: as it was sent before, or from now on in another way. */
export class Arranging {
  readonly #parts: ArrangingParts;
  readonly #writing: Writing;
  /** What the client sent, with our part of earlier turns. */
  whole: readonly Message[] = [];
  worth: Worth = nothingYet;
  sized: Sized | undefined;
  #fixedChars = 0;
  #offer: Offer = (request) => request;
  #isRefused = false;
  #isMarked = false;

  constructor(parts: ArrangingParts) {
    this.#parts = parts;
    this.#writing = new Writing(parts);
  }

  /** Once, when the provider has said that it is too long. */
  mayGoFurther(): boolean {
    if (this.#isRefused || this.whole.length === 0 || this.#parts.kit.prefix.isThinking) return false;
    this.#isRefused = true;
    return true;
  }

  async arranged(request: ChatRequest, offer: Offer): Promise<ChatRequest> {
    const { exchange, kit, views, targetChars } = this.#parts;
    this.whole = request.messages;
    this.#offer = offer;
    const came = request === exchange.request ? exchange : exchange.with({ request });
    const messages = await firstSent(came, kit.ledger, (ref, message) => this.#archive(ref, [message]));
    const first = messages === request.messages ? came : exchange.with({ request: { ...request, messages } });
    this.#fixedChars = fixedCharsOf(request);
    this.#isMarked = hasMarkers(exchange.request);
    const fullChars = this.#fixedChars + sum(request.messages.map(charsOf));
    const goal = this.#isRefused ? Math.min(targetChars ?? fullChars, fullChars) : targetChars;
    const isSmall = goal === undefined || (fullChars < goal && !this.#isRefused);
    if (isSmall && first === came && fullChars < (goal ?? 0) * reckonedShare) return first.request;
    this.worth = await worthOf(exchange, kit);
    if (isSmall) return this.#small(first, fullChars);
    const isLost = kit.prefix.isBreak && this.#isLosing;
    if (isLost) kit.note({ aside: 'costs' });
    const known = isLost ? [] : await views.of(came, kit.ledger);
    if (known.length === 0) this.#noteAnew(fullChars);
    const current = this.#current(first, known);
    const isIdle = this.#isLosing && !this.#fillsWindow(current.chars);
    const next = isIdle ? undefined : await this.#stepped(first, current, { came, goal });
    const { request: sent, chars, view } = next ?? current;
    if (chars > goal * writeAheadShare) await this.#writing.begin(came, view);
    this.#size(chars, fullChars, next !== undefined);
    return sent;
  }

  /** Where it has cost more than it saved, everything is sent from the next break on, and nothing is tried again. */
  get #isLosing(): boolean {
    return isLosing(this.worth) && !this.#isRefused;
  }

  /** Nothing is old enough to be left out. */
  #small(first: Exchange, fullChars: number): ChatRequest {
    const { request, chars } = this.#shownAs(first, undefined);
    this.#size(chars, fullChars, false);
    return request;
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
    if (chars !== fullChars) kit.note({ tokens: `${Math.round(sentTokens)}/${Math.round(fullTokens)}` });
  }

  /** As this branch was sent before; what others decided for it meanwhile is asked for like a step. */
  #current(first: Exchange, known: readonly View[]): Shown {
    const { kit } = this.#parts;
    for (const view of known) {
      const sent = this.#shownAs(first, view);
      if (kit.prefix.isBreak || kit.prefix.keeps(sent.request)) return sent;
      if (!this.#isLosing && kit.prefix.mayStep(sent.request, this.#expected(sent, first)).isAllowed)
        return sent;
    }
    return this.#shownAs(first, undefined);
  }

  #shownAs(first: Exchange, view: View | undefined): Shown {
    const { request } = first;
    const messages = shown(view, request.messages);
    const chars = this.#fixedChars + sum(messages.map(charsOf));
    if (view === undefined || messages === request.messages) {
      const ends = this.#isMarked ? this.#anchors(messages) : [];
      return { view, messages, request: withMarkers(request, ends, this.#parts.exchange.request), chars };
    }
    const bare = withMarkers({ ...request, messages }, endsOf(view), this.#parts.exchange.request);
    return { view, messages, request: view.hasRecall ? this.#offer(bare) : bare, chars };
  }

  #anchors(messages: readonly Message[]) {
    const apart = (this.#parts.targetChars ?? 0) * anchorShare;
    return apart === 0 ? [] : anchorsIn(messages, messages.map(charsOf), apart);
  }

  /** Undefined where everything stays as it is. */
  async #stepped(
    first: Exchange,
    current: Shown,
    { came, goal }: { readonly came: Exchange; readonly goal: number },
  ): Promise<Shown | undefined> {
    const { kit, views } = this.#parts;
    if (kit.prefix.isThinking || !this.#isDue(current, goal)) return undefined;
    const room = this.#room(first, came, await this.#writing.ready(came, current.view));
    const best = this.#best(first, { room, current, goal });
    if (best === undefined) return undefined;
    if (!kit.prefix.mayStep(best.sent.request, best.expected).isAllowed) return undefined;
    const decided = await views.decide(came, kit.ledger, best.view);
    if (decided === undefined) return undefined;
    const sent = this.#shownAs(first, decided);
    if (!kit.prefix.mayStep(sent.request, best.expected).isAllowed) return undefined;
    const known = new Set(current.view?.pieces.map(({ ref }) => ref));
    for (const { ref, from, to, messages } of decided.pieces)
      if (!known.has(ref) && messages.some((message, at) => message !== this.whole[from + at]))
        this.#archive(ref, this.whole.slice(from, to));
    return sent;
  }

  /** When the call is over: until then the client has it all. */
  #archive(ref: string, content: readonly Message[]): void {
    const { exchange, kit } = this.#parts;
    const { name } = exchange.conversation;
    const ttlSeconds = kit.options.archive;
    kit.later(async () => {
      await kit.archive.put({ ref, conversation: name, content, ttlSeconds });
    });
  }

  #isDue({ chars, view }: Shown, goal: number): boolean {
    if (this.#isRefused || this.#fillsWindow(chars)) return true;
    // What was done in small steps is done properly where that costs nothing.
    const isPatched = view?.pieces.every(({ kind }) => kind === 'shortened');
    if (this.#parts.kit.prefix.isBreak && isPatched === true && chars > goal * stepShare) return true;
    return chars >= goal && (this.#parts.kit.prefix.isBreak || chars >= this.worth.lookChars);
  }

  /** Whether it may not fit into the model's window any more. */
  #fillsWindow(chars: number): boolean {
    const { exchange, kit } = this.#parts;
    const { contextTokens } = kit.catalog.priced(exchange.target) ?? {};
    if (contextTokens === undefined) return false;
    const tokens = (chars / charsPerToken) * this.worth.ratio + (exchange.request.max_tokens ?? 0);
    return tokens > contextTokens * windowShare;
  }

  #room(first: Exchange, came: Exchange, written: Room['written']): Room {
    const { messages } = first.request;
    return {
      messages,
      chars: messages.map(charsOf),
      fixedChars: this.#fixedChars,
      keepTurns: this.#parts.kit.options.keep_turns,
      ref: (from, to) => refOf(came.conversation.at(from), came.conversation.at(to)),
      written,
    };
  }

  /** Of the ways to make it smaller, the one that is worth most. */
  #best(
    first: Exchange,
    { room, current, goal }: { readonly room: Room; readonly current: Shown; readonly goal: number },
  ) {
    const { kit } = this.#parts;
    const pieces = current.view?.pieces ?? [];
    const isRequired = this.#isRefused || this.#fillsWindow(current.chars);
    if (kit.prefix.isBreak || isRequired) {
      const isFirst = this.worth.calls === 0 && pieces.length === 0 && !this.#isRefused;
      const share = isFirst ? firstShare : breakShare;
      this.worth = { ...this.worth, lookChars: 0 };
      return this.#candidate(first, { pieces: planned(room, goal * share), current, hasRecall: true });
    }
    const records = pieces.filter(({ kind }) => kind === 'record');
    const hasRecall = current.view?.hasRecall === true;
    const anew = planned(room, goal * stepShare);
    const ways = [
      ...this.#bounds(current).map((bounds) => ({
        pieces: planned(room, goal * stepShare, { base: pieces, ...bounds }),
        hasRecall,
      })),
      ...(records.length > 0
        ? [{ pieces: planned(room, goal * stepShare, { base: records }), hasRecall }]
        : []),
      // A tool more changes everything that a provider keeps, as does a beginning that is written anew.
      { pieces: anew, hasRecall: true },
    ];
    const candidates = ways.flatMap((way) => this.#candidate(first, { ...way, current }) ?? []);
    const affordable = candidates.filter(
      ({ costs, saves }) => costs <= allowance(this.worth) && saves >= costs * savesTimes,
    );
    this.worth = { ...this.worth, lookChars: affordable.length > 0 ? 0 : current.chars * lookAgainFactor };
    return affordable.sort((one, other) => other.saves - other.costs - (one.saves - one.costs))[0];
  }

  /** How far back a step may reach: to where something is kept, or as far as can be paid for. */
  #bounds({ view, messages }: Shown): readonly { readonly since?: number; readonly writesChars?: number }[] {
    if (!this.#isMarked) return [{ writesChars: this.#writesChars() }];
    if (view !== undefined) return [{ since: view.pieces.at(-1)?.to ?? 0 }];
    return this.#anchors(sentBefore(messages)).map(({ message }) => ({ since: message + 1 }));
  }

  /** What may be sent anew for what a step may cost. */
  #writesChars(): number {
    const card = this.#parts.kit.catalog.priced(this.#parts.exchange.target)?.card;
    const { ratio, isCached } = this.worth;
    const perToken = card === undefined || !isCached ? 0 : (card.cacheWrite - card.cacheRead) / 1000;
    if (perToken <= 0) return Number.POSITIVE_INFINITY;
    return (allowance(this.worth) / perToken / ratio) * charsPerToken;
  }

  #candidate(
    first: Exchange,
    {
      pieces,
      current,
      hasRecall,
    }: {
      readonly pieces: readonly Piece[] | undefined;
      readonly current: Shown;
      readonly hasRecall: boolean;
    },
  ) {
    if (pieces === undefined) return undefined;
    const view: View = { pieces, hasRecall };
    const sent = this.#shownAs(first, view);
    if (sent.chars >= current.chars) return undefined;
    const expected = this.#expected(sent, first, current);
    const card = this.#parts.kit.catalog.priced(this.#parts.exchange.target)?.card;
    const rate = card === undefined ? 0 : card.cacheRead;
    const written = card === undefined || expected.isUncached ? 0 : card.cacheWrite - rate;
    const costs = (expected.writesTokens * written) / 1000;
    const spared = expected.isUncached ? (card?.input ?? 0) : rate;
    const saves = (expected.savesTokens * spared * expected.calls) / 1000;
    return { view, sent, expected, costs, saves };
  }

  /** What a step is expected to save and to cost, in tokens as the provider counts them. */
  #expected(sent: Shown, first: Exchange, current?: Shown) {
    const { ratio, isCached } = this.worth;
    const tokens = (chars: number) => Math.max(0, Math.round((chars / charsPerToken) * ratio));
    const assistants = first.request.messages.filter(({ role }) => role === 'assistant').length;
    const before = current ?? this.#shownAs(first, undefined);
    const isSameHead = (sent.view?.hasRecall ?? false) === (before.view?.hasRecall ?? false);
    const keptChars = isSameHead ? this.#keptChars(sent, before) : 0;
    return {
      calls: Math.max(2, Math.round(assistants * furtherCallsShare)),
      savesTokens: tokens(before.chars - sent.chars),
      writesTokens: tokens(sent.chars - keptChars),
      isUncached: !isCached,
      isTooLong: this.#isRefused,
    };
  }

  /** What a provider reads of one request that it kept of another. With markers it keeps what is before one of them. */
  #keptChars(sent: Shown, before: Shown): number {
    const same = sameChars(sent.messages, before.messages);
    if (!this.#isMarked) return this.#fixedChars + same;
    const places =
      before.view === undefined ? this.#anchors(sentBefore(before.messages)) : endsOf(before.view).slice(-2);
    const kept = places.map((place) => charsUpTo(before.messages, place)).filter((chars) => chars <= same);
    if (kept.length > 0) return this.#fixedChars + Math.max(...kept);
    return hasMarkers({ ...this.#parts.exchange.request, messages: [] }) ? this.#fixedChars : 0;
  }
}

/** What the call before this one has sent. */
function sentBefore(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
}

function charsUpTo(messages: readonly Message[], { message, block }: Place): number {
  const last = messages[message];
  const chars = sum(messages.slice(0, message).map(charsOf));
  return last === undefined ? chars : chars + blockChars(blocksOf(last).slice(0, block + 1));
}

/** What both begin with. */
function sameChars(one: readonly Message[], other: readonly Message[]): number {
  let chars = 0;
  for (const [at, message] of one.entries()) {
    const before = other[at];
    if (before === undefined) break;
    if (message !== before) return chars + sameBlockChars(blocksOf(message), blocksOf(before));
    chars += charsOf(message);
  }
  return chars;
}

function sameBlockChars(one: readonly Block[], other: readonly Block[]): number {
  const first = one.findIndex((block, at) => block !== other[at]);
  return blockChars(first < 0 ? one : one.slice(0, first));
}

function fixedCharsOf({ tools, system }: ChatRequest): number {
  const toolChars = tools === undefined ? 0 : JSON.stringify(tools).length;
  const systemChars = typeof system === 'string' ? system.length : JSON.stringify(system ?? []).length;
  return toolChars + systemChars;
}

/** Where pieces end among the messages that are shown. */
function endsOf(view: View): readonly Place[] {
  const ends: Place[] = [];
  let message = -1;
  let block = 0;
  let isAfterRecord = false;
  let before: Message['role'] | undefined;
  for (const { kind, messages } of view.pieces) {
    for (const one of messages) {
      const count = blocksOf(one).length;
      const isJoined = isAfterRecord && kind === 'record' && before === 'user' && one.role === 'user';
      before = one.role;
      if (isJoined) block += count;
      else {
        message++;
        block = count - 1;
      }
    }
    isAfterRecord = kind === 'record';
    ends.push({ message, block });
  }
  return ends;
}

function refOf(from: string, to: string): string {
  return hash('sha256', `${from}\n${to}`, 'base64url').replace(/[-_]/g, 'x').slice(0, 12);
}
