import type { HeaderList } from '../../lib/headers.ts';
import { ignoreErrors } from '../../lib/ignore-errors.ts';
import type { ClientRequest } from '../client-request.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import type {
  Framing,
  Interest,
  ProviderFormat,
  ReplyEncoder,
  UnreadContent,
  WireFormat,
} from '../wire-format.ts';
import { AnswerBuilder, answerToEvents } from './answer-events.ts';
import { emptyAnswerError, encodeEvents, withDefaultModel } from './encode-events.ts';
import type { EndListener } from './ending.ts';
import { filterBytes } from './filter-bytes.ts';
import { type ProviderResponse, ProviderResponseReader } from './provider-response.ts';
import { type Recording, ReplayDecoder } from './recording.ts';
import { ReplyBytes } from './reply-bytes.ts';
import { ReplyEventIterator } from './reply-event-iterator.ts';
import type { ReplyObserver } from './reply-observers.ts';
import type { ReplyOwnership } from './reply-ownership.ts';
import { ReplyStream } from './reply-stream.ts';
import { type Events, mapEvents, type Rewrite, type Splice, spliceEvents } from './rewrite-events.ts';
import { type PullResult, type Source, sourceFromIterable, sourceFromValue } from './source.ts';

/** Set by `Reply`, whose private fields it uses. */
export let replyOwnership: ReplyOwnership;

/** A reply on its way to the client: always a stream, read once, with exactly one ending. */
export class Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly #stream: ReplyStream;
  readonly #parent: Reply | undefined;
  readonly #origin: Reply;
  /** The reply that was derived from this one. */
  #derived: Reply | undefined;
  #consumed = false;

  private constructor(stream: ReplyStream, parent?: Reply, origin?: Reply) {
    this.#stream = stream;
    this.#parent = parent;
    this.#origin = origin ?? (parent === undefined ? this : parent.#origin);
    const { status = 200, headers = none } = stream.responseReader?.response ?? parent ?? {};
    this.status = status;
    this.headers = headers;
  }

  /** A provider's response, passed through. */
  static relay(providerResponse: ProviderResponse): Reply {
    return new Reply(new ReplyStream({ responseReader: new ProviderResponseReader(providerResponse) }));
  }

  /** A complete answer. */
  static of(answer: Answer): Reply {
    return Reply.#fromList([...answerToEvents(answer)]);
  }

  /** Generated events. */
  static stream(events: AsyncIterable<ReplyEvent>): Reply {
    return new Reply(new ReplyStream({ events: sourceFromIterable(events) }));
  }

  /** A recorded answer; `wire` is undefined for a recording of events. */
  static replay(recording: Recording, wire: ProviderFormat | undefined): Reply {
    if (wire === undefined) return Reply.#fromList(JSON.parse(Buffer.from(recording.body).toString('utf8')));
    const { framing, body, usageRequested } = recording;
    return Reply.relay({
      wire,
      framing,
      status: 200,
      headers: none,
      body: sourceFromValue(body),
      decoder: (interest) => new ReplayDecoder(recording, wire, interest),
      ...(usageRequested && { usageRequested }),
    });
  }

  static #fromList(events: Events): Reply {
    return new Reply(new ReplyStream({ events: sourceFromValue(events) }));
  }

  /** The framing of the bytes if nothing changes them; undefined for a reply without bytes. */
  get framing(): Framing | undefined {
    return this.#stream.responseReader?.response.framing;
  }

  /** Whether it is being read, or was read. */
  get consumed(): boolean {
    return this.#consumed;
  }

  /** Faults in a `tap` or an `onEnd` that no module owns; they must not harm the reply. */
  get faults(): readonly unknown[] {
    return this.#stream.faults;
  }

  get ended(): boolean {
    return this.#stream.ended;
  }

  /** The error that it failed with. */
  get failure(): unknown {
    return this.#stream.failure;
  }

  /** Content that passed without being decoded. */
  get unread(): UnreadContent {
    return this.#stream.responseReader?.unread ?? this.#parent?.unread ?? noUnread;
  }

  /** Calls `observer` with each event; it can neither delay nor change the event. */
  tap(observer: ReplyObserver, interest: Interest = 'everything'): this {
    this.#stream.tap(observer, interest);
    return this;
  }

  /** Calls `listener` exactly once, when the reply ends in any way. */
  onEnd(listener: EndListener): this {
    this.#stream.onEnd(listener, this.#stream.holder);
    return this;
  }

  /** Records the answer, and calls `then` if it completes within `bytesMax`. */
  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): this {
    this.#stream.record(bytesMax, then);
    return this;
  }

  /** A new reply, with each event rewritten. */
  map(rewrite: Rewrite): Reply {
    const derived: Reply = this.#derive(mapEvents(this.#source(), rewrite, () => derived.#stream.maker));
    return derived;
  }

  /** A new reply from a generator, which may hold back, wait for other sources and insert events. */
  through(splice: Splice): Reply {
    const derived: Reply = this.#derive(spliceEvents(this.#iterator(), splice, () => derived.#stream.maker));
    return derived;
  }

  /** Whether it is `other`, or was made from it in any number of steps. */
  derivesFrom(other: Reply): boolean {
    for (let reply: Reply | undefined = this; reply !== undefined; reply = reply.#parent)
      if (reply === other) return true;
    return false;
  }

  /** Reads the reply event by event. */
  events(): AsyncIterableIterator<ReplyEvent> {
    this.#consume();
    return this.#iterator();
  }

  /** Reads the whole answer. Follow with `Reply.of`. */
  answer(): Promise<Answer> {
    this.#consume();
    return ignoreErrors(this.#collectAnswer());
  }

  async #collectAnswer(): Promise<Answer> {
    const stream = this.#stream;
    const builder = new AnswerBuilder();
    for (;;) {
      const events = await stream.nextEvents();
      if (events === undefined) break;
      for (const event of events) builder.push(event);
    }
    if (stream.streamError !== undefined) throw stream.streamError;
    const answer = builder.answer();
    if (answer !== undefined) return answer;
    stream.failure = emptyAnswerError();
    throw stream.failure;
  }

  /** The bytes for a client that speaks `wire`: the provider's own if nothing was changed. */
  bytes(wire: WireFormat, framing: Framing, clientRequest: ClientRequest): ReplyBytes {
    this.#consume();
    const response = this.#stream.responseReader?.response;
    const pull =
      response?.wire === wire && response.framing === framing
        ? this.#relayBytes(response, clientRequest)
        : this.#encodeBytes(wire.replyEncoder(framing, clientRequest), clientRequest);
    return new ReplyBytes(pull, () => this.#stream.finish({ how: 'aborted' }));
  }

  /** The provider's bytes, without usage that only the gateway asked for. */
  #relayBytes({ usageRequested, wire }: ProviderResponse, clientRequest: ClientRequest): PullBytes {
    const pull = () => this.#stream.nextChunk();
    const { usageOptIn } = wire;
    return usageRequested && usageOptIn !== undefined && clientRequest.usageOptInFields !== undefined
      ? filterBytes(pull, usageOptIn.stripUsage())
      : pull;
  }

  #encodeBytes(encoder: ReplyEncoder, { routing }: ClientRequest): PullBytes {
    return encodeEvents(this.#source(), withDefaultModel(encoder, routing.model), (fault) =>
      this.#stream.fail(fault),
    );
  }

  /** Whole frames, or the whole body, without the credentials that an error may quote. */
  withoutSecrets(bytes: Uint8Array): Uint8Array {
    const { streamError, responseReader } = this.#stream;
    return streamError === undefined || responseReader === undefined
      ? bytes
      : responseReader.withoutSecrets(bytes);
  }

  /** Discards the reply and aborts the provider's response. */
  async discard(): Promise<void> {
    this.#consumed = true;
    await this.#stream.finish({ how: 'aborted' });
  }

  #consume(): void {
    if (this.#consumed) throw new Error('this reply was already read');
    this.#consumed = true;
  }

  #derive(events: Source<Events>): Reply {
    this.#consume();
    this.#derived = new Reply(new ReplyStream({ events }), this);
    return this.#derived;
  }

  #source(): Source<Events> {
    const stream = this.#stream;
    return { next: () => stream.nextEvents(), cancel: () => void stream.finish({ how: 'aborted' }) };
  }

  #iterator(): ReplyEventIterator {
    const stream = this.#stream;
    return new ReplyEventIterator({
      pull: () => stream.nextEvents(),
      stop: async () => stream.finish({ how: 'aborted' }),
    });
  }

  static {
    replyOwnership = {
      setHolder(reply, holder) {
        reply.#stream.holder = holder;
      },
      clearHolder(reply) {
        reply.#stream.holder = undefined;
        return reply;
      },
      assignMaker(reply, maker) {
        for (let one: Reply | undefined = reply; one !== undefined; one = one.#parent) {
          if (one.#stream.holder !== undefined || one.#stream.maker !== undefined) return;
          one.#stream.assignMaker(maker);
        }
      },
      findUnreadDescendant(reply, delivered) {
        let last = reply;
        while (last.#derived !== undefined) last = last.#derived;
        return last === delivered || last.#consumed ? undefined : last;
      },
      onStart(reply, listener) {
        reply.#stream.onStart(listener);
      },
      onEnd(reply, listener) {
        reply.#stream.onEnd(listener, undefined);
        return reply;
      },
      revoke(reply) {
        reply.#consumed = true;
        return new Reply(reply.#stream.revoke(), reply.#parent, reply.#origin);
      },
      origin(reply) {
        return reply.#origin;
      },
    };
  }
}

type PullBytes = () => PullResult<Uint8Array>;

const noUnread: UnreadContent = { tokens: 0, calls: 0 };
const none: readonly never[] = [];
