import { type GatewayError, toldError } from '../errors.ts';
import { limits } from '../limits.ts';
import { nextTurn } from '../turn-end.ts';
import type { Interest } from '../wire-format.ts';
import { type Ending, Endings, endingOf, type Then } from './ending.ts';
import type { Keeper } from './keeper.ts';
import { type Look, Looks } from './looks.ts';
import { Recorder, type Recording } from './recording.ts';
import type { Relayed } from './relayed.ts';
import type { Events } from './rewritten.ts';
import type { Pulled, Source } from './source.ts';

/** Where an answer comes from: a provider's bytes, or events that somebody makes. */
interface Springs {
  readonly relayed?: Relayed | undefined;
  readonly events?: Source<Events> | undefined;
}

/** An answer as it runs: what is pulled is kept and shown to those who asked for it, and it ends once. */
export class Flow {
  readonly relayed: Relayed | undefined;
  readonly #events: Source<Events> | undefined;
  readonly #looks: Looks;
  readonly #endings: Endings;
  #recorders: readonly Recorder[];
  /** Who made it, and who has it in hand. */
  maker: Keeper | undefined;
  holder: Keeper | undefined;
  /** What it failed with, and what it says itself that it failed with. */
  failure: unknown;
  streamError: GatewayError | undefined;
  faults: readonly unknown[] = none;
  #ended = false;
  /** Bytes that were read since this last let the event loop turn. */
  #readBytes = 0;
  /** Runs when the first of it is there, or when it ends without. */
  #onBegun: (() => void) | undefined;

  constructor({ relayed, events }: Springs, before?: Flow) {
    this.relayed = relayed;
    this.#events = events;
    this.#looks = before === undefined ? new Looks() : before.#looks;
    this.#endings = before === undefined ? new Endings() : before.#endings;
    this.#recorders = before === undefined ? none : before.#recorders;
    this.maker = before?.maker;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The same for others, with all who look at it; this one is over, and nobody is told so. */
  revoked(): Flow {
    this.#ended = true;
    return new Flow({ relayed: this.relayed, events: this.#events }, this);
  }

  /** What nobody answers for yet is this one's. */
  claim(maker: Keeper): void {
    this.maker = maker;
    this.#looks.claim(maker);
    this.#endings.claim(maker);
  }

  tap(look: Look, interest: Interest): void {
    this.#looks.add(look, this.holder);
    if (interest === 'everything') this.#wants(interest);
  }

  onEnd(then: Then, keeper: Keeper | undefined): void {
    this.#endings.add(then, keeper, this.#blame);
  }

  onBegun(then: () => void): void {
    const before = this.#onBegun;
    this.#onBegun = () => {
      before?.();
      then();
    };
  }

  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): void {
    const recorder = new Recorder(bytesMax);
    this.#recorders = [...this.#recorders, recorder];
    this.onEnd((ending) => {
      const recording = ending.how === 'complete' ? recorder.finish(this.relayed?.raw) : undefined;
      return recording === undefined ? undefined : then(recording);
    }, this.holder);
  }

  nextChunk(): Pulled<Uint8Array> {
    if (this.#ended || this.relayed === undefined) return undefined;
    try {
      const chunk = this.relayed.raw.body.next();
      return chunk instanceof Promise ? this.#comingChunk(chunk) : this.#passedChunk(chunk);
    } catch (error) {
      return this.fail(error);
    }
  }

  nextEvents(): Promise<Events | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    const coming = this.#comingEvents();
    return this.holder === undefined ? coming : this.holder.wait(coming);
  }

  /** Rejects with the error, once all who wait for the end have been told. */
  fail(error: unknown): Promise<never> {
    this.failure = error;
    return Promise.resolve(this.finish(endingOf(error))).then(() => Promise.reject(error));
  }

  finish(ending: Ending): undefined | Promise<void> {
    if (this.#ended) return undefined;
    this.#ended = true;
    this.#begun();
    if (ending.how !== 'complete') {
      (this.relayed?.raw.body ?? this.#events)?.cancel();
      try {
        this.#show(this.relayed?.end() ?? []);
      } catch (fault) {
        this.faults = [...this.faults, fault];
      }
    }
    return this.#endings.tell(ending, this.#blame);
  }

  #wants(interest: Interest): void {
    if (this.relayed !== undefined) this.relayed.interest = interest;
  }

  async #comingChunk(coming: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    try {
      return await this.#passedChunk(await coming);
    } catch (error) {
      return this.fail(error);
    }
  }

  #passedChunk(chunk: Uint8Array | undefined): Pulled<Uint8Array> {
    if (chunk === undefined) return this.#complete();
    this.#begun();
    for (const recorder of this.#recorders) recorder.bytes(chunk);
    if (this.#looks.isEmpty || this.relayed === undefined) return chunk;
    this.#show(this.relayed.read(chunk));
    return chunk;
  }

  async #comingEvents(): Promise<Events | undefined> {
    const { maker } = this;
    try {
      const events = await (maker === undefined
        ? this.#pullEvents()
        : maker.work(() => this.#pullEvents()).catch((fault) => Promise.reject(maker.failed(fault, false))));
      if (events === undefined) return await this.#complete();
      this.#show(events);
      if (events.length > 0 && this.#readBytes > limits.readAtOnceBytesMax) {
        this.#readBytes = 0;
        await nextTurn();
      }
      return events;
    } catch (error) {
      return this.fail(error);
    }
  }

  async #pullEvents(): Promise<Events | undefined> {
    if (this.relayed === undefined) {
      const events = await this.#events?.next();
      if (events !== undefined) for (const recorder of this.#recorders) recorder.events(events);
      return events;
    }
    this.#wants('everything');
    const chunk = await this.relayed.raw.body.next();
    if (chunk !== undefined) {
      for (const recorder of this.#recorders) recorder.bytes(chunk);
      this.#readBytes += chunk.byteLength;
      return this.relayed.read(chunk);
    }
    const last = this.#lastEvents();
    return last.length > 0 ? last : undefined;
  }

  /** What bytes say when no more come; those that end too early have said what they had to, and are broken. */
  #lastEvents(): Events {
    const last = this.relayed?.end() ?? [];
    const broken = this.relayed?.cutShort;
    if (broken === undefined) return last;
    this.#show(last);
    throw broken;
  }

  #begun(): void {
    const then = this.#onBegun;
    this.#onBegun = undefined;
    then?.();
  }

  #show(events: Events): void {
    if (events.length > 0) this.#begun();
    for (const event of events) {
      if (event.type === 'error') {
        this.streamError ??= toldError(event.error);
        this.failure ??= this.streamError;
      }
      this.#looks.show(event, this.#blame);
    }
  }

  /** Fails the answer where the module that looked can't be done without. */
  readonly #blame = (fault: unknown, keeper: Keeper | undefined): void => {
    if (keeper === undefined) {
      this.faults = [...this.faults, fault];
      return;
    }
    const failure = keeper.failed(fault, true);
    if (failure !== undefined && !this.#ended) throw failure;
  };

  #complete(): undefined | Promise<undefined> {
    this.#show(this.#lastEvents());
    const told = this.finish(
      this.streamError === undefined ? { how: 'complete' } : { how: 'failed', error: this.streamError },
    );
    return told?.then(() => undefined);
  }
}

const none: readonly never[] = [];
