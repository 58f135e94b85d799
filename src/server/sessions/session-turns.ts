import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayError } from '../../kernel/errors.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import type { SessionEvent, SessionReader } from '../../kernel/session-protocol.ts';
import { limits } from '../limits.ts';
import { asGatewayError } from '../respond.ts';
import { SessionTurn, type TurnBound, type TurnOrigin, type TurnParts } from './session-turn.ts';

interface SessionTurnsParts extends TurnParts {
  readonly reader: SessionReader;
  readonly origin: () => TurnOrigin;
  /** The model that the client asked for. */
  readonly model: string;
  /** The most that a model reads and writes, as far as it is known. */
  limitsOf(model: string): Partial<TurnBound>;
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
    return this.#standing !== undefined && this.#covers(this.#standing);
  }

  /** Resolves when it may, or when the session ends. */
  async whenMayPass(asks: boolean): Promise<void> {
    while (!this.#isStopped && !this.mayPass(asks)) {
      if (this.#standing !== undefined && !this.#covers(this.#standing)) await this.#renew();
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
    const needsTurn = event.kind === 'started' || event.kind === 'used';
    if (this.#late.length > 0 || (needsTurn && this.#standing === undefined)) {
      this.#late.push(event);
      return;
    }
    if (event.kind === 'started') this.#start(event.id, this.#takeStanding());
    else if (event.kind === 'used') this.#bill(event, this.#takeStanding());
    else this.#onOther(event);
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
    this.#reserving ??= this.#reserveNext().finally(() => {
      this.#reserving = undefined;
      this.#change();
    });
    return this.#reserving;
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
      if (event?.kind !== 'started' && event?.kind !== 'used') {
        if (event !== undefined) this.#onOther(event);
        continue;
      }
      const turn = await SessionTurn.unreserved(this.#parts, this.#parts.origin(), this.#wish());
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
    return SessionTurn.reserve(this.#parts, this.#parts.origin(), this.#wish(), connect);
  }

  #wish() {
    const { reader, model: asked } = this.#parts;
    const model = reader.model === undefined ? asked : withPrefixOf(asked, reader.model);
    return {
      model,
      otherModels: reader.otherModels,
      bound: this.#bound(model, limits.session.aheadTokens),
      estimate: () => reader.estimate(),
    };
  }

  #bound(model: string, aheadTokens: number): TurnBound {
    const { reader } = this.#parts;
    const { inputTokens = limits.session.contextTokens, outputTokens = limits.session.outputTokens } =
      this.#parts.limitsOf(model);
    return {
      inputTokens: Math.min(inputTokens, Math.ceil(reader.contextTokens) + aheadTokens),
      outputTokens: Math.min(outputTokens, reader.outputTokens ?? outputTokens),
    };
  }

  #covers({ wish }: SessionTurn): boolean {
    const { reader } = this.#parts;
    const needed = this.#bound(wish.model, 0);
    return (
      wish.bound.inputTokens >= needed.inputTokens &&
      wish.bound.outputTokens >= needed.outputTokens &&
      wish.otherModels === reader.otherModels &&
      (reader.model === undefined || wish.model === withPrefixOf(this.#parts.model, reader.model))
    );
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

/** Another model of the same provider. */
function withPrefixOf(asked: string, model: string): string {
  const slash = asked.indexOf('/');
  return slash < 0 ? model : `${asked.slice(0, slash)}/${model}`;
}
