import { GatewayError, toldError } from '../errors.ts';
import type { Received } from '../exchange.ts';
import type { HeaderList } from '../headers.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import type { Framing, Interest, ReplyDecoder, ReplyEncoder, Unread, WireFormat } from '../wire-format.ts';
import { Folding, unfold } from './answer.ts';
import { filtered } from './filtered.ts';
import { keepMilestones, milestonesIn, Recorder, type Recording } from './recording.ts';
import { ReplyBytes } from './reply-bytes.ts';
import { type Pulled, type Source, sourceOf } from './source.ts';

/** An answer as a provider's bytes. */
export interface Raw {
  readonly wire: WireFormat;
  readonly framing: Framing;
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Source<Uint8Array>;
  /** The gateway asked for usage that the client didn't ask for. */
  readonly usageAsked?: true;
}

export type Ending =
  | { readonly how: 'complete' }
  | { readonly how: 'aborted' }
  | { readonly how: 'failed'; readonly error: unknown };

type Look = (event: ReplyEvent) => void;
type Rewrite = (event: ReplyEvent) => ReplyEvent | readonly ReplyEvent[];
type Then = (ending: Ending) => void | Promise<void>;
type Events = readonly ReplyEvent[];

/** An answer on its way to the client: always a stream, read once, with exactly one ending. */
export class Reply {
  readonly status: number;
  readonly headers: HeaderList;
  /** What went wrong inside a `tap` or an `onEnd`, which can't be allowed to harm the answer. */
  readonly faults: unknown[] = [];
  readonly #raw: Raw | undefined;
  readonly #events: Source<Events> | undefined;
  readonly #parent: Reply | undefined;
  readonly #looks: Look[] = [];
  readonly #thens: Then[] = [];
  readonly #recorders: Recorder[] = [];
  /** The recording that this answer replays. */
  readonly #recording: Recording | undefined;
  #interest: Interest = 'milestones';
  #decoder: ReplyDecoder | undefined;
  /** What a replay has shown. */
  readonly #shown: ReplyEvent[] = [];
  /** Whether the decoder has come to its end. */
  #decoded = false;
  #taken = false;
  #ended = false;
  #streamError: GatewayError | undefined;

  private constructor(from: { raw?: Raw; events?: Source<Events>; parent?: Reply; recording?: Recording }) {
    this.#raw = from.raw;
    this.#recording = from.recording;
    this.#events = from.events;
    this.#parent = from.parent;
    this.status = from.raw?.status ?? from.parent?.status ?? 200;
    this.headers = from.raw?.headers ?? from.parent?.headers ?? [];
  }

  /** An upstream's answer, passed on as it comes. */
  static relay(raw: Raw): Reply {
    return new Reply({ raw });
  }

  static of(answer: Answer): Reply {
    return Reply.#fromList([...unfold(answer)]);
  }

  static stream(events: AsyncIterable<ReplyEvent>): Reply {
    const iterator = events[Symbol.asyncIterator]();
    const source: Source<Events> = {
      async next() {
        const step = await iterator.next();
        return step.done === true ? undefined : [step.value];
      },
      cancel() {
        // A generator that is waiting finishes its wait first; its end is nobody's business any more.
        Promise.resolve(iterator.return?.()).catch(() => undefined);
      },
    };
    return new Reply({ events: source });
  }

  /** An answer that was recorded before. */
  static replay(recording: Recording, wire: WireFormat | undefined): Reply {
    if (wire === undefined) return Reply.#fromList(JSON.parse(Buffer.from(recording.body).toString('utf8')));
    const { framing, body, usageAsked } = recording;
    const raw: Raw = { wire, framing, status: 200, headers: [], body: sourceOf(body) };
    return new Reply({ raw: usageAsked === undefined ? raw : { ...raw, usageAsked }, recording });
  }

  static #fromList(events: Events): Reply {
    return new Reply({ events: sourceOf(events) });
  }

  /** How the bytes are laid out when nobody changes them; undefined for an answer that has no bytes yet. */
  get framing(): Framing | undefined {
    return this.#raw?.framing;
  }

  get consumed(): boolean {
    return this.#taken;
  }

  /** What went by without having been shown to anybody. */
  get unread(): Unread {
    return this.#decoder?.unread ?? this.#parent?.unread ?? nothing;
  }

  /** Shows each event to `look`, which can neither delay nor change it. */
  tap(look: Look, interest: Interest = 'everything'): this {
    this.#looks.push(look);
    if (interest === 'everything') this.#interest = 'everything';
    return this;
  }

  /** Runs exactly once, when the answer is over, however it ends. */
  onEnd(then: Then): this {
    this.#thens.push(then);
    return this;
  }

  /** Keeps a copy of the answer and hands it over if it completes within `bytesMax`. */
  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): this {
    const recorder = new Recorder(bytesMax);
    this.#recorders.push(recorder);
    return this.onEnd((ending) => {
      const recording = ending.how === 'complete' ? recorder.finish(this.#raw) : undefined;
      return recording === undefined ? undefined : then(recording);
    });
  }

  /** Another answer, made from this one event by event. */
  map(rewrite: Rewrite): Reply {
    this.#take();
    const source: Source<Events> = {
      next: async () => {
        const events = await this.#nextEvents();
        return events?.flatMap(rewrite);
      },
      cancel: () => void this.#finish({ how: 'aborted' }),
    };
    return new Reply({ events: source, parent: this });
  }

  derivesFrom(other: Reply): boolean {
    for (let reply: Reply | undefined = this; reply !== undefined; reply = reply.#parent)
      if (reply === other) return true;
    return false;
  }

  /** Holds the whole answer back. Follow with `Reply.of`. */
  async answer(): Promise<Answer> {
    this.#take();
    const folding = new Folding();
    for (let events = await this.#nextEvents(); events !== undefined; events = await this.#nextEvents())
      for (const event of events) folding.push(event);
    const answer = folding.answer();
    if (this.#streamError !== undefined) throw this.#streamError;
    if (answer === undefined)
      throw new GatewayError('upstream_broken', 'the provider sent an answer that has no message in it');
    return answer;
  }

  /** The bytes for a client that speaks `wire`: the upstream's own where nothing was changed. */
  bytes(wire: WireFormat, framing: Framing, asked: Received): ReplyBytes {
    this.#take();
    const own = this.#raw?.wire === wire && this.#raw.framing === framing;
    return new ReplyBytes(own ? this.#ownBytes(wire, asked) : this.#encodedBytes(wire, framing, asked), () =>
      this.#finish({ how: 'aborted' }),
    );
  }

  #ownBytes({ usageQuestion }: WireFormat, asked: Received): () => Pulled<Uint8Array> {
    const pull = () => this.#nextChunk();
    if (this.#raw?.usageAsked === undefined || usageQuestion?.asking(asked.body) === undefined) return pull;
    return filtered(pull, usageQuestion.unasked());
  }

  #encodedBytes(wire: WireFormat, framing: Framing, asked: Received): () => Pulled<Uint8Array> {
    const encoder = wire.replyEncoder(framing, asked);
    return () => this.#nextEncoded(encoder);
  }

  /** Gives the answer up: its provider is told to stop. */
  async discard(): Promise<void> {
    this.#taken = true;
    await this.#finish({ how: 'aborted' });
  }

  #take(): void {
    if (this.#taken) throw new Error('this reply was read already');
    this.#taken = true;
  }

  #nextChunk(): Pulled<Uint8Array> {
    if (this.#ended || this.#raw === undefined) return undefined;
    try {
      const chunk = this.#raw.body.next();
      return chunk instanceof Promise ? this.#comingChunk(chunk) : this.#passedChunk(chunk);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #comingChunk(coming: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    try {
      return await this.#passedChunk(await coming);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #passedChunk(chunk: Uint8Array | undefined): Pulled<Uint8Array> {
    if (chunk === undefined) return this.#complete();
    for (const recorder of this.#recorders) recorder.bytes(chunk);
    if (this.#looks.length > 0) this.#show(this.#known ?? this.#decode().push(chunk));
    return chunk;
  }

  /** All that a replayed answer says about itself, where it was read in another replay. */
  get #known(): Events | undefined {
    if (this.#recording === undefined || this.#interest !== 'milestones') return undefined;
    return milestonesIn(this.#recording);
  }

  async #nextEvents(): Promise<Events | undefined> {
    if (this.#ended) return undefined;
    try {
      const events = await this.#pullEvents();
      if (events === undefined) return await this.#complete();
      this.#show(events);
      return events;
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #pullEvents(): Promise<Events | undefined> {
    if (this.#raw === undefined) {
      const events = await this.#events?.next();
      if (events !== undefined) for (const recorder of this.#recorders) recorder.events(events);
      return events;
    }
    this.#interest = 'everything';
    const chunk = await this.#raw.body.next();
    if (chunk !== undefined) {
      for (const recorder of this.#recorders) recorder.bytes(chunk);
      return this.#decode().push(chunk);
    }
    const last = this.#decoderEnd();
    return last.length > 0 ? last : undefined;
  }

  async #nextEncoded(encoder: ReplyEncoder): Promise<Uint8Array | undefined> {
    while (!this.#ended) {
      let events: Events | undefined;
      try {
        events = await this.#nextEvents();
      } catch (failure) {
        return lastWord(failure, encoder);
      }
      if (events === undefined) return encoder.end();
      const chunks: Uint8Array[] = [];
      for (const event of events) {
        const chunk = encoder.push(event);
        if (chunk !== undefined) chunks.push(chunk);
      }
      if (chunks.length > 0) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    }
    return undefined;
  }

  #decode(): ReplyDecoder {
    if (this.#raw === undefined) throw new Error('only a relayed answer has bytes to decode');
    this.#decoder ??= this.#raw.wire.replyDecoder(this.#raw.framing, this.#interest);
    return this.#decoder;
  }

  #decoderEnd(): Events {
    const decoder = this.#decoder;
    if (decoder === undefined) return [];
    this.#decoded = true;
    const last = decoder.end();
    if (decoder.finished) {
      if (this.#recording !== undefined && this.#interest === 'milestones')
        keepMilestones(this.#recording, [...this.#shown, ...last]);
      return last;
    }
    this.#show(last);
    throw new GatewayError('upstream_broken', 'the provider ended its answer before it was complete');
  }

  /** What an answer that is cut short has said about itself until then. */
  #showLast(): void {
    if (this.#decoder === undefined || this.#decoded) return;
    this.#decoded = true;
    this.#show(this.#decoder.end());
  }

  #show(events: Events): void {
    const collected = this.#recording !== undefined && this.#interest === 'milestones';
    for (const event of events) {
      if (collected) this.#shown.push(event);
      if (event.type === 'error') this.#streamError ??= toldError(event.error);
      for (const look of this.#looks) {
        try {
          look(event);
        } catch (fault) {
          this.faults.push(fault);
        }
      }
    }
  }

  #complete(): undefined | Promise<undefined> {
    this.#show(this.#decoderEnd());
    const told = this.#finish(
      this.#streamError === undefined ? { how: 'complete' } : { how: 'failed', error: this.#streamError },
    );
    return told?.then(() => undefined);
  }

  #failed(error: unknown): Promise<never> {
    return Promise.resolve(this.#finish(endingOf(error))).then(() => Promise.reject(error));
  }

  #finish(ending: Ending): undefined | Promise<void> {
    if (this.#ended) return undefined;
    this.#ended = true;
    if (ending.how !== 'complete') {
      (this.#raw?.body ?? this.#events)?.cancel();
      try {
        this.#showLast();
      } catch (fault) {
        this.faults.push(fault);
      }
    }
    return this.#tellFrom(0, ending);
  }

  /** One after the other, and without a wait where nobody asks for one. */
  #tellFrom(first: number, ending: Ending): undefined | Promise<void> {
    for (let at = first; at < this.#thens.length; at++) {
      const telling = this.#tell(this.#thens[at], ending);
      if (telling !== undefined) return telling.then(() => this.#tellFrom(at + 1, ending));
    }
    return undefined;
  }

  #tell(then: Then | undefined, ending: Ending): undefined | Promise<unknown> {
    try {
      const telling = then?.(ending);
      return telling instanceof Promise ? telling.catch((fault) => this.faults.push(fault)) : undefined;
    } catch (fault) {
      this.faults.push(fault);
      return undefined;
    }
  }
}

const nothing: Unread = { tokens: 0, calls: 0 };

/** A stream that is written here ends in its own words, also when it breaks; whole answers are not begun yet. */
function lastWord(failure: unknown, encoder: ReplyEncoder): Uint8Array {
  if (!GatewayError.is(failure)) throw failure;
  const { message, status, code } = failure;
  const error = { type: 'api_error', message, status, code };
  const bytes = encoder.push({ type: 'error', error });
  if (bytes === undefined) throw failure;
  return bytes;
}

function endingOf(error: unknown): Ending {
  return GatewayError.is(error) && error.code === 'client_gone'
    ? { how: 'aborted' }
    : { how: 'failed', error };
}
