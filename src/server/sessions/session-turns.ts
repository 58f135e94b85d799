import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayError } from '../../kernel/errors.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import type { SessionEvent } from '../../kernel/session-protocol.ts';
import { limits } from '../limits.ts';
import { asGatewayError } from '../respond.ts';
import { SessionTurn, type TurnOrigin, type TurnParts } from './session-turn.ts';
import { TurnWishes, type TurnWishesParts } from './turn-wishes.ts';

interface SessionTurnsParts extends TurnParts, TurnWishesParts {
  readonly origin: () => TurnOrigin;
  /** No response may begin any more. */
  onRefused(refusal: GatewayError): void;
  /** The last response has ended. */
  onIdle(): void;
}

/**
 * The responses of a session. One is always reserved ahead, with its worst case: nothing of the client reaches the provider
 * while there is none, so no response begins that nobody pays for.
 */
export class SessionTurns {
  readonly #parts: SessionTurnsParts;
  readonly #wishes: TurnWishes;
  /** The next response. */
  #standing: SessionTurn | undefined;
  #reserving: Promise<void> | undefined;
  readonly #active = new Map<string, SessionTurn>();
  /** What the provider said while there was no reservation. */
  #late: SessionEvent[] = [];
  /** Whether the client has asked for a response that the provider has not answered. */
  #isAsked = false;
  #answerTimer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #changed = Promise.withResolvers<void>();
  /** Turns that end. */
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: SessionTurnsParts) {
    this.#parts = parts;
    this.#wishes = new TurnWishes(parts);
  }

  /** Responses that run or are reserved. */
  get open(): number {
    return this.#active.size + (this.#standing === undefined ? 0 : 1);
  }

  get running(): number {
    return this.#active.size;
  }

  /** Reserves the first response, and connects to the provider for it. */
  async begin(connect: (exchange: Exchange) => Promise<void>): Promise<void> {
    this.#standing = await this.#reserve(connect);
  }

  /** Whether a message of the client, which the reader has read, may reach the provider now. */
  mayPass(asks: boolean): boolean {
    if (this.#isStopped || (asks && this.#isAsked) || this.#active.size >= limits.session.responsesMax)
      return false;
    return this.#standing !== undefined && this.#wishes.covers(this.#standing.wish);
  }

  /** Resolves when it may, or when the session ends. */
  async whenMayPass(asks: boolean): Promise<void> {
    while (!this.#isStopped && !this.mayPass(asks)) {
      if (this.#standing !== undefined && !this.#wishes.covers(this.#standing.wish)) await this.#renew();
      else await this.#changed.promise;
    }
  }

  /** A message that asks for a response has gone to the provider. */
  asked(): void {
    this.#isAsked = true;
    clearTimeout(this.#answerTimer);
    this.#answerTimer = setTimeout(() => this.#answered(), limits.session.answerMs).unref();
  }

  /** The provider has answered, or never will. */
  #answered(): void {
    clearTimeout(this.#answerTimer);
    this.#isAsked = false;
    this.#change();
  }

  onEvent(event: SessionEvent): void {
    if (this.#isRunning(event)) return;
    const needsTurn = event.kind === 'started' || event.kind === 'used';
    if (this.#late.length > 0 || (needsTurn && this.#standing === undefined)) {
      this.#late.push(event);
      return;
    }
    if (event.kind === 'started') this.#start(event.id, this.#takeStanding());
    else if (event.kind === 'used') this.#bill(event, this.#takeStanding());
    else this.#onOther(event);
  }

  /** Whether the provider reports the start of a response again. */
  #isRunning(event: SessionEvent): boolean {
    return event.kind === 'started' && this.#active.has(event.id);
  }

  /** No further response may begin. What is reserved is given back. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const standing = this.#standing;
    this.#standing = undefined;
    if (standing !== undefined) this.#track(standing.withdraw());
    this.#change();
  }

  /** Ends all responses, at what they cost so far. */
  async close(): Promise<void> {
    this.stop();
    clearTimeout(this.#answerTimer);
    await this.#reserving;
    for (const turn of this.#active.values()) this.#track(turn.abort());
    this.#active.clear();
    await Promise.all(this.#ending);
  }

  #onOther(event: Exclude<SessionEvent, { kind: 'started' | 'used' }>): void {
    if (event.kind === 'content') [...this.#active.values()].at(-1)?.contentBegan();
    else if (event.kind === 'ended') {
      const turn = this.#active.get(event.id);
      if (turn === undefined) {
        // The provider does not say when responses begin.
        if (event.usage !== undefined)
          this.onEvent({ ...event, kind: 'used', usage: event.usage, model: event.model });
        return;
      }
      this.#active.delete(event.id);
      turn.end(event);
      this.#track(turn.settled());
      if (this.#active.size === 0) this.#parts.onIdle();
    } else this.#answered();
    this.#change();
  }

  #start(id: string, turn: SessionTurn): void {
    turn.take(id);
    this.#active.set(id, turn);
    this.#answered();
  }

  #bill({ usage, model }: Extract<SessionEvent, { kind: 'used' }>, turn: SessionTurn): void {
    turn.take('', model);
    turn.end({ usage });
    this.#track(turn.settled());
    this.#change();
  }

  /** Reserves the next one at once. */
  #takeStanding(): SessionTurn {
    const standing = this.#standing;
    if (standing === undefined) throw new Error('no response is reserved');
    this.#standing = undefined;
    void this.#ensure();
    return standing;
  }

  #ensure(): Promise<void> {
    if (this.#isStopped || this.#standing !== undefined) return Promise.resolve();
    if (this.#reserving !== undefined) return this.#reserving;
    const reserving = this.#reserveNext().finally(() => {
      if (this.#reserving === reserving) this.#reserving = undefined;
      this.#change();
    });
    this.#reserving = reserving;
    return reserving;
  }

  /** If the next response is refused while another one runs, waits for its end: it holds more than it costs. */
  async #reserveNext(): Promise<void> {
    let triesLeft = limits.session.settlingTries;
    while (!this.#isStopped)
      try {
        await Promise.all(this.#ending);
        this.#setStanding(await this.#reserve());
        return;
      } catch (thrown) {
        const refusal = asGatewayError(thrown);
        if (this.#active.size > 0) await this.#nextEnd();
        // Other processes learn a moment later that a call has ended.
        else if (refusal.status === 429 && --triesLeft > 0) await sleep(limits.session.settlingMs);
        else {
          await this.#giveUp(refusal);
          return;
        }
      }
    await this.#billLate();
  }

  #setStanding(turn: SessionTurn): void {
    if (this.#isStopped) {
      this.#track(turn.withdraw());
      return;
    }
    this.#standing = turn;
    const late = this.#late;
    this.#late = [];
    this.#reserving = undefined;
    for (const event of late) this.onEvent(event);
  }

  async #giveUp(refusal: GatewayError): Promise<void> {
    await this.#billLate();
    if (!this.#isStopped) this.#parts.onRefused(refusal);
  }

  /** What the provider began without a reservation costs money all the same. */
  async #billLate(): Promise<void> {
    while (this.#late.length > 0) {
      const event = this.#late.shift();
      if (event === undefined || this.#isRunning(event)) continue;
      if (event.kind !== 'started' && event.kind !== 'used') {
        this.#onOther(event);
        continue;
      }
      const turn = await SessionTurn.unreserved(this.#parts, this.#parts.origin(), this.#wishes.next());
      if (event.kind === 'started') this.#start(event.id, turn);
      else this.#bill(event, turn);
    }
  }

  /** A reservation that is large enough for what the client says next. The old one holds until then, unless both at once are too much. */
  async #renew(): Promise<void> {
    const old = this.#standing;
    if (old === undefined) return;
    try {
      const next = await this.#reserve();
      if (this.#standing === old) this.#standing = next;
      else this.#track(next.withdraw());
      if (this.#standing === next) await old.withdraw();
    } catch (thrown) {
      if (this.#standing !== old) return;
      const refusal = asGatewayError(thrown);
      if (refusal.status !== 429) {
        this.#parts.onRefused(refusal);
        return;
      }
      this.#standing = undefined;
      await old.withdraw();
      await this.#ensure();
    }
  }

  #reserve(connect?: (exchange: Exchange) => Promise<void>): Promise<SessionTurn> {
    return SessionTurn.reserve(this.#parts, this.#parts.origin(), this.#wishes.next(), connect);
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work.then(
      () => void this.#ending.delete(tracked),
      () => void this.#ending.delete(tracked),
    );
    this.#ending.add(tracked);
  }

  async #nextEnd(): Promise<void> {
    const before = this.#active.size;
    while (!this.#isStopped && this.#active.size >= before) await this.#changed.promise;
  }

  #change(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
