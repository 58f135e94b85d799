import { GatewayError } from '../errors.ts';
import type { HeaderList } from '../headers.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import { quietly } from '../quietly.ts';
import type { Received } from '../received.ts';
import type { Framing, Interest, ProviderFormat, Unread, WireFormat } from '../wire-format.ts';
import { Folding, unfold } from './answer.ts';
import { encoded, naming } from './encoded.ts';
import type { Then } from './ending.ts';
import { filtered } from './filtered.ts';
import { Flow } from './flow.ts';
import type { Keeper } from './keeper.ts';
import type { Look } from './looks.ts';
import { Reading } from './reading.ts';
import { type Recording, ReplayDecoder } from './recording.ts';
import { type Raw, Relayed } from './relayed.ts';
import { ReplyBytes } from './reply-bytes.ts';
import { type Events, mapped, type Rewrite, type Splice, spliced } from './rewritten.ts';
import { type Pulled, type Source, sourceFrom, sourceOf } from './source.ts';

/** For who watches over modules, and for nobody else. */
interface Custody {
  /** From now on it is in the hands of `holder`. */
  give(reply: Reply, holder: Keeper): void;
  /** It has come through all modules: what is added to it from now on is nobody's but the gateway's. */
  release(reply: Reply): Reply;
  /** It was made by `maker`, with all that it was made from up to what was given: who answers for what runs in it. */
  claim(reply: Reply, maker: Keeper): void;
  /** Of this one and what was made from it, what nobody reads; undefined where `kept` is it, or somebody does. */
  left(reply: Reply, kept: Reply): Reply | undefined;
  /** Once, when its first event is there. */
  onBegun(reply: Reply, then: () => void): void;
  /** As the gateway's own, whoever has it in hand. */
  onEnd(reply: Reply, then: Then): Reply;
  /** The same answer, unread, for others than who has had it until now. */
  revoke(reply: Reply): Reply;
  /** The one that it was made from, through however many hands. */
  origin(reply: Reply): Reply;
}

export let custody: Custody;

/** An answer on its way to the client: always a stream, read once, with exactly one ending. */
export class Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly #flow: Flow;
  readonly #parent: Reply | undefined;
  readonly #origin: Reply;
  /** The reply that was made from this one. */
  #heir: Reply | undefined;
  #taken = false;

  private constructor(flow: Flow, parent?: Reply, origin?: Reply) {
    this.#flow = flow;
    this.#parent = parent;
    this.#origin = origin ?? (parent === undefined ? this : parent.#origin);
    this.status = flow.relayed?.raw.status ?? parent?.status ?? 200;
    this.headers = flow.relayed?.raw.headers ?? parent?.headers ?? none;
  }

  /** An upstream's answer, passed on as it comes. */
  static relay(raw: Raw): Reply {
    return new Reply(new Flow({ relayed: new Relayed(raw) }));
  }

  static of(answer: Answer): Reply {
    return Reply.#fromList([...unfold(answer)]);
  }

  static stream(events: AsyncIterable<ReplyEvent>): Reply {
    return new Reply(new Flow({ events: sourceFrom(events) }));
  }

  /** An answer that was recorded before. */
  static replay(recording: Recording, wire: ProviderFormat | undefined): Reply {
    if (wire === undefined) return Reply.#fromList(JSON.parse(Buffer.from(recording.body).toString('utf8')));
    const { framing, body, usageAsked } = recording;
    const decoder = (interest: Interest) => new ReplayDecoder(recording, wire, interest);
    const raw: Raw = { wire, framing, status: 200, headers: [], body: sourceOf(body), decoder };
    return Reply.relay(usageAsked === undefined ? raw : { ...raw, usageAsked });
  }

  static #fromList(events: Events): Reply {
    return new Reply(new Flow({ events: sourceOf(events) }));
  }

  /** How the bytes are laid out when nobody changes them; undefined for an answer that has no bytes yet. */
  get framing(): Framing | undefined {
    return this.#flow.relayed?.raw.framing;
  }

  /** Whether somebody reads it, or has read it. */
  get consumed(): boolean {
    return this.#taken;
  }

  /** What went wrong inside a `tap` or an `onEnd` that no module answers for; it must not harm the answer. */
  get faults(): readonly unknown[] {
    return this.#flow.faults;
  }

  get ended(): boolean {
    return this.#flow.ended;
  }

  /** What it failed with. */
  get failure(): unknown {
    return this.#flow.failure;
  }

  /** What went by without having been shown to anybody. */
  get unread(): Unread {
    return this.#flow.relayed?.unread ?? this.#parent?.unread ?? nothing;
  }

  /** Shows each event to `look`, which can neither delay nor change it. */
  tap(look: Look, interest: Interest = 'everything'): this {
    this.#flow.tap(look, interest);
    return this;
  }

  /** Runs exactly once, when the answer is over, however it ends. */
  onEnd(then: Then): this {
    this.#flow.onEnd(then, this.#flow.holder);
    return this;
  }

  /** Keeps a copy of the answer and hands it over if it completes within `bytesMax`. */
  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): this {
    this.#flow.record(bytesMax, then);
    return this;
  }

  /** Another answer, made from this one event by event. */
  map(rewrite: Rewrite): Reply {
    const heir: Reply = this.#bequeathed(mapped(this.#source(), rewrite, () => heir.#flow.maker));
    return heir;
  }

  /** Another answer, made from this one by a generator, which may hold back, wait, ask elsewhere and put things in. */
  through(splice: Splice): Reply {
    const heir: Reply = this.#bequeathed(spliced(this.#reading(), splice, () => heir.#flow.maker));
    return heir;
  }

  derivesFrom(other: Reply): boolean {
    for (let reply: Reply | undefined = this; reply !== undefined; reply = reply.#parent)
      if (reply === other) return true;
    return false;
  }

  /** Reads it in the open, event by event. */
  events(): AsyncIterableIterator<ReplyEvent> {
    this.#take();
    return this.#reading();
  }

  /** Holds the whole answer back. Follow with `Reply.of`. */
  answer(): Promise<Answer> {
    this.#take();
    return quietly(this.#folded());
  }

  async #folded(): Promise<Answer> {
    const folding = new Folding();
    const flow = this.#flow;
    for (let events = await flow.nextEvents(); events !== undefined; events = await flow.nextEvents())
      for (const event of events) folding.push(event);
    const answer = folding.answer();
    if (flow.streamError !== undefined) throw flow.streamError;
    if (answer !== undefined) return answer;
    flow.failure = new GatewayError(
      'upstream_broken',
      'the provider sent an answer that has no message in it',
    );
    throw flow.failure;
  }

  /** The bytes for a client that speaks `wire`: the upstream's own where nothing was changed. */
  bytes(wire: WireFormat, framing: Framing, asked: Received): ReplyBytes {
    this.#take();
    const raw = this.#flow.relayed?.raw;
    const own = raw?.wire === wire && raw.framing === framing;
    const pull = own
      ? this.#ownBytes(raw, asked)
      : encoded(this.#source(), naming(wire.replyEncoder(framing, asked), asked.asked.model), (fault) =>
          this.#flow.fail(fault),
        );
    return new ReplyBytes(pull, () => this.#flow.finish({ how: 'aborted' }));
  }

  /** Whole frames, or the whole body, without the credentials that an error in it may quote. */
  withoutSecrets(bytes: Uint8Array): Uint8Array {
    const { streamError, relayed } = this.#flow;
    return streamError === undefined || relayed === undefined ? bytes : relayed.withoutSecrets(bytes);
  }

  #ownBytes({ usageAsked, wire }: Raw, asked: Received): () => Pulled<Uint8Array> {
    const pull = () => this.#flow.nextChunk();
    const { usageQuestion } = wire;
    if (usageAsked === undefined || usageQuestion === undefined || asked.usageQuestion === undefined)
      return pull;
    return filtered(pull, usageQuestion.unasked());
  }

  /** Gives the answer up: its provider is told to stop. */
  async discard(): Promise<void> {
    this.#taken = true;
    await this.#flow.finish({ how: 'aborted' });
  }

  #take(): void {
    if (this.#taken) throw new Error('this reply was read already');
    this.#taken = true;
  }

  #bequeathed(events: Source<Events>): Reply {
    this.#take();
    this.#heir = new Reply(new Flow({ events }), this);
    return this.#heir;
  }

  #source(): Source<Events> {
    const flow = this.#flow;
    return { next: () => flow.nextEvents(), cancel: () => void flow.finish({ how: 'aborted' }) };
  }

  #reading(): Reading {
    const flow = this.#flow;
    return new Reading({ pull: () => flow.nextEvents(), stop: async () => flow.finish({ how: 'aborted' }) });
  }

  static {
    custody = {
      give(reply, holder) {
        reply.#flow.holder = holder;
      },
      release(reply) {
        reply.#flow.holder = undefined;
        return reply;
      },
      claim(reply, maker) {
        for (let one: Reply | undefined = reply; one !== undefined; one = one.#parent) {
          if (one.#flow.holder !== undefined || one.#flow.maker !== undefined) return;
          one.#flow.claim(maker);
        }
      },
      left(reply, kept) {
        let last = reply;
        while (last.#heir !== undefined) last = last.#heir;
        return last === kept || last.#taken ? undefined : last;
      },
      onBegun(reply, then) {
        reply.#flow.onBegun(then);
      },
      onEnd(reply, then) {
        reply.#flow.onEnd(then, undefined);
        return reply;
      },
      revoke(reply) {
        reply.#taken = true;
        return new Reply(reply.#flow.revoked(), reply.#parent, reply.#origin);
      },
      origin(reply) {
        return reply.#origin;
      },
    };
  }
}

const nothing: Unread = { tokens: 0, calls: 0 };
const none: readonly never[] = [];
