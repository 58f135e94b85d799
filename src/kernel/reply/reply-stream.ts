import { nextTurn } from '../../lib/queue-immediate.ts';
import { type GatewayError, providerError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Interest } from '../wire-format.ts';
import type { CodeOwner } from './code-owner.ts';
import { type Ending, type EndListener, EndListeners, endingOf } from './ending.ts';
import type { ProviderResponseReader } from './provider-response.ts';
import { Recorder, type Recording } from './recording.ts';
import { type ReplyObserver, ReplyObservers } from './reply-observers.ts';
import type { Events } from './rewrite-events.ts';
import { isReady, type PullResult, type Source } from './source.ts';

/** The source of a reply: a provider's bytes, or generated events. */
interface ReplyStreamSource {
  readonly responseReader?: ProviderResponseReader | undefined;
  readonly events?: Source<Events> | undefined;
}

/** A running reply: pulled data is recorded and shown to observers, and it ends once. */
export class ReplyStream {
  readonly responseReader: ProviderResponseReader | undefined;
  readonly #events: Source<Events> | undefined;
  readonly #observers: ReplyObservers;
  readonly #endListeners: EndListeners;
  #recorders: readonly Recorder[];
  /** The module that made it, and the one that currently has it. */
  maker: CodeOwner | undefined;
  holder: CodeOwner | undefined;
  /** The failure of the stream, and the error that the stream itself reports. */
  failure: unknown;
  streamError: GatewayError | undefined;
  faults: readonly unknown[] = none;
  #ended = false;
  /** Bytes read since the event loop last got a turn. */
  #readBytes = 0;
  /** Runs when the first data arrives, or at the end without any. */
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

  /** Moves the source and all observers to a new stream; ends this one without notifying its listeners. */
  revoke(): ReplyStream {
    this.#ended = true;
    return new ReplyStream({ responseReader: this.responseReader, events: this.#events }, this);
  }

  /** Assigns code without an owner to this one. */
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
      return isReady(chunk) ? this.#handleChunk(chunk) : this.#awaitChunk(chunk);
    } catch (error) {
      return this.fail(error);
    }
  }

  nextEvents(): Promise<Events | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    const coming = this.#awaitEvents();
    return this.holder === undefined ? coming : this.holder.awaitInner(coming);
  }

  /** Rejects with the error after all end listeners have been notified. */
  async fail(error: unknown): Promise<never> {
    this.failure = error;
    await this.finish(endingOf(error));
    throw error;
  }

  /** Calls the end listeners synchronously; a promise if they have work left. */
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

  /** The final events at the end of the bytes; fails if the answer is incomplete. */
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

  /** Fails the reply if the module that owns the observer must not be skipped. */
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
    const finished = this.finish(
      this.streamError === undefined ? { how: 'complete' } : { how: 'failed', error: this.streamError },
    );
    return finished?.then(() => undefined);
  }
}

const none: readonly never[] = [];
