import type { HeaderList } from '../../lib/headers.ts';
import { ignoreErrors } from '../../lib/ignore-errors.ts';
import type { ClientRequest } from '../client-request.ts';
import { GatewayError } from '../errors.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import type { Framing, Interest, ProviderFormat, UnreadContent, WireFormat } from '../wire-format.ts';
import { AnswerBuilder, answerToEvents } from './answer-events.ts';
import type { CodeOwner } from './code-owner.ts';
import { encodeEvents, withDefaultModel } from './encode-events.ts';
import type { EndListener } from './ending.ts';
import { filterBytes } from './filter-bytes.ts';
import { type ProviderResponse, ProviderResponseReader } from './provider-response.ts';
import { type Recording, ReplayDecoder } from './recording.ts';
import { ReplyBytes } from './reply-bytes.ts';
import { ReplyEventIterator } from './reply-event-iterator.ts';
import type { ReplyObserver } from './reply-observers.ts';
import { ReplyStream } from './reply-stream.ts';
import { type Events, mapEvents, type Rewrite, type Splice, spliceEvents } from './rewrite-events.ts';
import { type PullResult, type Source, sourceFromIterable, sourceFromValue } from './source.ts';

/** Operations for the module runner only. */
interface ReplyOwnership {
  /** Passes the reply to `holder`. */
  setHolder(reply: Reply, holder: CodeOwner): void;
  /** The reply has passed all modules: code added from now on belongs to the gateway. */
  clearHolder(reply: Reply): Reply;
  /** Makes `maker` the owner of the code in this reply and its ancestors, up to the reply that it was given. */
  assignMaker(reply: Reply, maker: CodeOwner): void;
  /** The unread reply among this one and those derived from it; undefined if that is `delivered`, or if it is being read. */
  findUnreadDescendant(reply: Reply, delivered: Reply): Reply | undefined;
  /** Runs once, when its first event arrives. */
  onStart(reply: Reply, then: () => void): void;
  /** Adds a listener of the gateway, whoever holds the reply. */
  onEnd(reply: Reply, endListener: EndListener): Reply;
  /** The same reply, unread, with all access of its current holder revoked. */
  revoke(reply: Reply): Reply;
  /** The reply that it was derived from, over any number of steps. */
  origin(reply: Reply): Reply;
}

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

  private constructor(replyStream: ReplyStream, parent?: Reply, origin?: Reply) {
    this.#stream = replyStream;
    this.#parent = parent;
    this.#origin = origin ?? (parent === undefined ? this : parent.#origin);
    this.status = replyStream.responseReader?.response.status ?? parent?.status ?? 200;
    this.headers = replyStream.responseReader?.response.headers ?? parent?.headers ?? none;
  }

  /** A provider's response, passed through. */
  static relay(providerResponse: ProviderResponse): Reply {
    return new Reply(new ReplyStream({ responseReader: new ProviderResponseReader(providerResponse) }));
  }

  static of(answer: Answer): Reply {
    return Reply.#fromList([...answerToEvents(answer)]);
  }

  static stream(events: AsyncIterable<ReplyEvent>): Reply {
    return new Reply(new ReplyStream({ events: sourceFromIterable(events) }));
  }

  /** A recorded answer. */
  static replay(recording: Recording, wire: ProviderFormat | undefined): Reply {
    if (wire === undefined) return Reply.#fromList(JSON.parse(Buffer.from(recording.body).toString('utf8')));
    const { framing, body, usageRequested } = recording;
    const decoder = (interest: Interest) => new ReplayDecoder(recording, wire, interest);
    const providerResponse: ProviderResponse = {
      wire,
      framing,
      status: 200,
      headers: [],
      body: sourceFromValue(body),
      decoder,
    };
    return Reply.relay(
      usageRequested === undefined ? providerResponse : { ...providerResponse, usageRequested },
    );
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

  /** Calls `look` with each event; it can neither delay nor change the event. */
  tap(replyObserver: ReplyObserver, interest: Interest = 'everything'): this {
    this.#stream.tap(replyObserver, interest);
    return this;
  }

  /** Runs exactly once, when the reply ends in any way. */
  onEnd(endListener: EndListener): this {
    this.#stream.onEnd(endListener, this.#stream.holder);
    return this;
  }

  /** Records the answer and passes it on if it completes within `bytesMax`. */
  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): this {
    this.#stream.record(bytesMax, then);
    return this;
  }

  /** A new reply, with each event rewritten. */
  map(rewrite: Rewrite): Reply {
    const heir: Reply = this.#derive(mapEvents(this.#source(), rewrite, () => heir.#stream.maker));
    return heir;
  }

  /** A new reply from a generator, which may hold back, wait for other sources and insert events. */
  through(splice: Splice): Reply {
    const heir: Reply = this.#derive(spliceEvents(this.#openIterator(), splice, () => heir.#stream.maker));
    return heir;
  }

  derivesFrom(other: Reply): boolean {
    for (let reply: Reply | undefined = this; reply !== undefined; reply = reply.#parent)
      if (reply === other) return true;
    return false;
  }

  /** Reads the reply event by event. */
  events(): AsyncIterableIterator<ReplyEvent> {
    this.#consume();
    return this.#openIterator();
  }

  /** Reads the whole answer. Follow with `Reply.of`. */
  answer(): Promise<Answer> {
    this.#consume();
    return ignoreErrors(this.#collectAnswer());
  }

  async #collectAnswer(): Promise<Answer> {
    const answerBuilder = new AnswerBuilder();
    const replyStream = this.#stream;
    for (
      let events = await replyStream.nextEvents();
      events !== undefined;
      events = await replyStream.nextEvents()
    )
      for (const event of events) answerBuilder.push(event);
    const answer = answerBuilder.answer();
    if (replyStream.streamError !== undefined) throw replyStream.streamError;
    if (answer !== undefined) return answer;
    replyStream.failure = new GatewayError('upstream_broken', "the provider's response contains no message");
    throw replyStream.failure;
  }

  /** The bytes for a client that speaks `wire`: the provider's own if nothing was changed. */
  bytes(wire: WireFormat, framing: Framing, clientRequest: ClientRequest): ReplyBytes {
    this.#consume();
    const providerResponse = this.#stream.responseReader?.response;
    const own = providerResponse?.wire === wire && providerResponse.framing === framing;
    const pull = own
      ? this.#passThroughBytes(providerResponse, clientRequest)
      : encodeEvents(
          this.#source(),
          withDefaultModel(wire.replyEncoder(framing, clientRequest), clientRequest.routing.model),
          (fault) => this.#stream.fail(fault),
        );
    return new ReplyBytes(pull, () => this.#stream.finish({ how: 'aborted' }));
  }

  /** Whole frames, or the whole body, without the credentials that an error may quote. */
  withoutSecrets(bytes: Uint8Array): Uint8Array {
    const { streamError, responseReader } = this.#stream;
    return streamError === undefined || responseReader === undefined
      ? bytes
      : responseReader.withoutSecrets(bytes);
  }

  #passThroughBytes(
    { usageRequested, wire }: ProviderResponse,
    clientRequest: ClientRequest,
  ): () => PullResult<Uint8Array> {
    const pull = () => this.#stream.nextChunk();
    const { usageOptIn } = wire;
    if (
      usageRequested === undefined ||
      usageOptIn === undefined ||
      clientRequest.usageOptInFields === undefined
    )
      return pull;
    return filterBytes(pull, usageOptIn.stripUsage());
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
    const replyStream = this.#stream;
    return {
      next: () => replyStream.nextEvents(),
      cancel: () => void replyStream.finish({ how: 'aborted' }),
    };
  }

  #openIterator(): ReplyEventIterator {
    const replyStream = this.#stream;
    return new ReplyEventIterator({
      pull: () => replyStream.nextEvents(),
      stop: async () => replyStream.finish({ how: 'aborted' }),
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
      onStart(reply, then) {
        reply.#stream.onStart(then);
      },
      onEnd(reply, endListener) {
        reply.#stream.onEnd(endListener, undefined);
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

const noUnread: UnreadContent = { tokens: 0, calls: 0 };
const none: readonly never[] = [];
