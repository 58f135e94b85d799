import { type GatewayError, providerError } from '../errors.ts';
import { limits } from '../limits.ts';
import { nextTurn } from '../queue-immediate.ts';
import type { Interest } from '../wire-format.ts';
import type { CodeOwner } from './code-owner.ts';
import { type Ending, type EndListener, EndListeners, endingOf } from './ending.ts';
import type { ProviderResponseReader } from './provider-response.ts';
import { Recorder, type Recording } from './recording.ts';
import { type ReplyObserver, ReplyObservers } from './reply-observers.ts';
import type { Events } from './rewrite-events.ts';
import type { PullResult, Source } from './source.ts';

/** Where an answer comes from: a provider's bytes, or events that somebody makes. */
interface ReplyStreamSource {
  readonly responseReader?: ProviderResponseReader | undefined;
  readonly events?: Source<Events> | undefined;
}

/** An answer as it runs: what is pulled is kept and shown to those who asked for it, and it ends once. */
export class ReplyStream {
  readonly responseReader: ProviderResponseReader | undefined;
  readonly #events: Source<Events> | undefined;
  readonly #observers: ReplyObservers;
  readonly #endListeners: EndListeners;
  #recorders: readonly Recorder[];
  /** Who made it, and who has it in hand. */
  maker: CodeOwner | undefined;
  holder: CodeOwner | undefined;
  /** What it failed with, and what it says itself that it failed with. */
  failure: unknown;
  streamError: GatewayError | undefined;
  faults: readonly unknown[] = none;
  #ended = false;
  /** Bytes that were read since this last let the event loop turn. */
  #readBytes = 0;
  /** Runs when the first of it is there, or when it ends without. */
  #onStart: (() => void) | undefined;

  constructor({ responseReader, events }: ReplyStreamSource, before?: ReplyStream) {
    this.responseReader = responseReader;
    this.#events = events;
    this.#observers = before === undefined ? new ReplyObservers() : before.#observers;
    this.#endListeners = before === undefined ? new EndListeners() : before.#endListeners;
    this.#recorders = before === undefined ? none : before.#recorders;
    this.maker = before?.maker;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The same for others, with all who look at it; this one is over, and nobody is told so. */
  revoke(): ReplyStream {
    this.#ended = true;
    return new ReplyStream({ responseReader: this.responseReader, events: this.#events }, this);
  }

  /** What nobody answers for yet is this one's. */
  assignMaker(maker: CodeOwner): void {
    this.maker = maker;
    this.#observers.assignOwner(maker);
    this.#endListeners.assignOwner(maker);
  }

  tap(replyObserver: ReplyObserver, interest: Interest): void {
    this.#observers.add(replyObserver, this.holder);
    if (interest === 'everything') this.#setInterest(interest);
  }

  onEnd(endListener: EndListener, codeOwner: CodeOwner | undefined): void {
    this.#endListeners.add(endListener, codeOwner, this.#attributeFault);
  }

  onStart(then: () => void): void {
    const before = this.#onStart;
    this.#onStart = () => {
      before?.();
      then();
    };
  }

  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): void {
    const recorder = new Recorder(bytesMax);
    this.#recorders = [...this.#recorders, recorder];
    this.onEnd((ending) => {
      const recording =
        ending.how === 'complete' ? recorder.finish(this.responseReader?.response) : undefined;
      return recording === undefined ? undefined : then(recording);
    }, this.holder);
  }

  nextChunk(): PullResult<Uint8Array> {
    if (this.#ended || this.responseReader === undefined) return undefined;
    try {
      const chunk = this.responseReader.response.body.next();
      return chunk instanceof Promise ? this.#awaitChunk(chunk) : this.#handleChunk(chunk);
    } catch (error) {
      return this.fail(error);
    }
  }

  nextEvents(): Promise<Events | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    const coming = this.#awaitEvents();
    return this.holder === undefined ? coming : this.holder.awaitInner(coming);
  }

  /** Rejects with the error, once all who wait for the end have been told. */
  fail(error: unknown): Promise<never> {
    this.failure = error;
    return Promise.resolve(this.finish(endingOf(error))).then(() => Promise.reject(error));
  }

  finish(ending: Ending): undefined | Promise<void> {
    if (this.#ended) return undefined;
    this.#ended = true;
    this.#markStarted();
    if (ending.how !== 'complete') {
      (this.responseReader?.response.body ?? this.#events)?.cancel();
      try {
        this.#emit(this.responseReader?.end() ?? []);
      } catch (fault) {
        this.faults = [...this.faults, fault];
      }
    }
    return this.#endListeners.notify(ending, this.#attributeFault);
  }

  #setInterest(interest: Interest): void {
    if (this.responseReader !== undefined) this.responseReader.interest = interest;
  }

  async #awaitChunk(coming: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    try {
      return await this.#handleChunk(await coming);
    } catch (error) {
      return this.fail(error);
    }
  }

  #handleChunk(chunk: Uint8Array | undefined): PullResult<Uint8Array> {
    if (chunk === undefined) return this.#complete();
    this.#markStarted();
    for (const recorder of this.#recorders) recorder.addBytes(chunk);
    if (this.#observers.isEmpty || this.responseReader === undefined) return chunk;
    this.#emit(this.responseReader.read(chunk));
    return chunk;
  }

  async #awaitEvents(): Promise<Events | undefined> {
    const { maker } = this;
    try {
      const events = await (maker === undefined
        ? this.#pullEvents()
        : maker
            .runTimed(() => this.#pullEvents())
            .catch((fault) => Promise.reject(maker.handleFault(fault, false))));
      if (events === undefined) return await this.#complete();
      this.#emit(events);
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
    if (this.responseReader === undefined) {
      const events = await this.#events?.next();
      if (events !== undefined) for (const recorder of this.#recorders) recorder.addEvents(events);
      return events;
    }
    this.#setInterest('everything');
    const chunk = await this.responseReader.response.body.next();
    if (chunk !== undefined) {
      for (const recorder of this.#recorders) recorder.addBytes(chunk);
      this.#readBytes += chunk.byteLength;
      return this.responseReader.read(chunk);
    }
    const last = this.#lastEvents();
    return last.length > 0 ? last : undefined;
  }

  /** What bytes say when no more come; those that end too early have said what they had to, and are broken. */
  #lastEvents(): Events {
    const last = this.responseReader?.end() ?? [];
    const broken = this.responseReader?.truncationError;
    if (broken === undefined) return last;
    this.#emit(last);
    throw broken;
  }

  #markStarted(): void {
    const then = this.#onStart;
    this.#onStart = undefined;
    then?.();
  }

  #emit(events: Events): void {
    if (events.length > 0) this.#markStarted();
    for (const event of events) {
      if (event.type === 'error') {
        this.streamError ??= providerError(event.error);
        this.failure ??= this.streamError;
      }
      this.#observers.notify(event, this.#attributeFault);
    }
  }

  /** Fails the answer where the module that looked can't be done without. */
  readonly #attributeFault = (fault: unknown, codeOwner: CodeOwner | undefined): void => {
    if (codeOwner === undefined) {
      this.faults = [...this.faults, fault];
      return;
    }
    const failure = codeOwner.handleFault(fault, true);
    if (failure !== undefined && !this.#ended) throw failure;
  };

  #complete(): undefined | Promise<undefined> {
    this.#emit(this.#lastEvents());
    const told = this.finish(
      this.streamError === undefined ? { how: 'complete' } : { how: 'failed', error: this.streamError },
    );
    return told?.then(() => undefined);
  }
}

const none: readonly never[] = [];
