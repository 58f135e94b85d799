import { GatewayError, toldError } from '../errors.ts';
import type { Received } from '../exchange.ts';
import type { HeaderList } from '../headers.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import { quietly } from '../quietly.ts';
import type { Framing, Interest, ProviderFormat, Unread, WireFormat } from '../wire-format.ts';
import { Folding, unfold } from './answer.ts';
import { encoded, naming } from './encoded.ts';
import { type Ending, Endings, endingOf, type Then } from './ending.ts';
import { filtered } from './filtered.ts';
import type { Keeper } from './keeper.ts';
import { type Look, Looks } from './looks.ts';
import { Reading } from './reading.ts';
import { Recorder, type Recording, ReplayDecoder } from './recording.ts';
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

/** What a reply is made of. */
interface Beginnings {
  readonly relayed?: Relayed | undefined;
  readonly events?: Source<Events> | undefined;
  readonly parent?: Reply | undefined;
  readonly origin?: Reply;
  readonly looks?: Looks;
  readonly endings?: Endings;
  readonly recorders?: readonly Recorder[];
  readonly maker?: Keeper | undefined;
}

/** An answer on its way to the client: always a stream, read once, with exactly one ending. */
export class Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly #relayed: Relayed | undefined;
  readonly #events: Source<Events> | undefined;
  readonly #parent: Reply | undefined;
  readonly #origin: Reply;
  readonly #looks: Looks;
  readonly #endings: Endings;
  #recorders: readonly Recorder[];
  #faults: readonly unknown[] = none;
  /** Who made it, and who has it in hand. */
  #maker: Keeper | undefined;
  #holder: Keeper | undefined;
  /** The reply that was made from this one. */
  #heir: Reply | undefined;
  #taken = false;
  #ended = false;
  #streamError: GatewayError | undefined;
  #failure: unknown;
  /** Runs when the first of it is there, or when it ends without. */
  #onBegun: (() => void) | undefined;

  private constructor(from: Beginnings) {
    this.#relayed = from.relayed;
    this.#events = from.events;
    this.#parent = from.parent;
    this.#origin = from.origin ?? (from.parent === undefined ? this : from.parent.#origin);
    this.#looks = from.looks ?? new Looks();
    this.#endings = from.endings ?? new Endings();
    this.#recorders = from.recorders ?? none;
    this.#maker = from.maker;
    this.status = from.relayed?.raw.status ?? from.parent?.status ?? 200;
    this.headers = from.relayed?.raw.headers ?? from.parent?.headers ?? none;
  }

  /** An upstream's answer, passed on as it comes. */
  static relay(raw: Raw): Reply {
    return new Reply({ relayed: new Relayed(raw) });
  }

  static of(answer: Answer): Reply {
    return Reply.#fromList([...unfold(answer)]);
  }

  static stream(events: AsyncIterable<ReplyEvent>): Reply {
    return new Reply({ events: sourceFrom(events) });
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
    return new Reply({ events: sourceOf(events) });
  }

  /** How the bytes are laid out when nobody changes them; undefined for an answer that has no bytes yet. */
  get framing(): Framing | undefined {
    return this.#relayed?.raw.framing;
  }

  /** Whether somebody reads it, or has read it. */
  get consumed(): boolean {
    return this.#taken;
  }

  /** What went wrong inside a `tap` or an `onEnd` that no module answers for; it must not harm the answer. */
  get faults(): readonly unknown[] {
    return this.#faults;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What it failed with. */
  get failure(): unknown {
    return this.#failure;
  }

  /** What went by without having been shown to anybody. */
  get unread(): Unread {
    return this.#relayed?.unread ?? this.#parent?.unread ?? nothing;
  }

  /** Shows each event to `look`, which can neither delay nor change it. */
  tap(look: Look, interest: Interest = 'everything'): this {
    this.#looks.add(look, this.#holder);
    if (interest === 'everything') this.#wants(interest);
    return this;
  }

  /** Runs exactly once, when the answer is over, however it ends. */
  onEnd(then: Then): this {
    this.#endings.add(then, this.#holder, this.#blame);
    return this;
  }

  /** Keeps a copy of the answer and hands it over if it completes within `bytesMax`. */
  record(bytesMax: number, then: (recording: Recording) => void | Promise<void>): this {
    const recorder = new Recorder(bytesMax);
    this.#recorders = [...this.#recorders, recorder];
    return this.onEnd((ending) => {
      const recording = ending.how === 'complete' ? recorder.finish(this.#relayed?.raw) : undefined;
      return recording === undefined ? undefined : then(recording);
    });
  }

  /** Another answer, made from this one event by event. */
  map(rewrite: Rewrite): Reply {
    const heir: Reply = this.#bequeathed(mapped(this.#source(), rewrite, () => heir.#maker));
    return heir;
  }

  /** Another answer, made from this one by a generator, which may hold back, wait, ask elsewhere and put things in. */
  through(splice: Splice): Reply {
    const heir: Reply = this.#bequeathed(spliced(this.#reading(), splice, () => heir.#maker));
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
    for (let events = await this.#nextEvents(); events !== undefined; events = await this.#nextEvents())
      for (const event of events) folding.push(event);
    const answer = folding.answer();
    if (this.#streamError !== undefined) throw this.#streamError;
    if (answer !== undefined) return answer;
    this.#failure = new GatewayError(
      'upstream_broken',
      'the provider sent an answer that has no message in it',
    );
    throw this.#failure;
  }

  /** The bytes for a client that speaks `wire`: the upstream's own where nothing was changed. */
  bytes(wire: WireFormat, framing: Framing, asked: Received): ReplyBytes {
    this.#take();
    const raw = this.#relayed?.raw;
    const own = raw?.wire === wire && raw.framing === framing;
    const pull = own
      ? this.#ownBytes(raw, asked)
      : encoded(this.#source(), naming(wire.replyEncoder(framing, asked), asked.asked.model), (fault) =>
          this.#failed(fault),
        );
    const layout = wire.layout?.(asked);
    return new ReplyBytes(layout === undefined ? pull : filtered(pull, layout), () =>
      this.#finish({ how: 'aborted' }),
    );
  }

  #ownBytes({ usageAsked, wire }: Raw, asked: Received): () => Pulled<Uint8Array> {
    const pull = () => this.#nextChunk();
    const { usageQuestion } = wire;
    if (usageAsked === undefined || usageQuestion === undefined || asked.usageQuestion === undefined)
      return pull;
    return filtered(pull, usageQuestion.unasked());
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

  #bequeathed(events: Source<Events>): Reply {
    this.#take();
    this.#heir = new Reply({ events, parent: this });
    return this.#heir;
  }

  #source(): Source<Events> {
    return { next: () => this.#nextEvents(), cancel: () => void this.#finish({ how: 'aborted' }) };
  }

  #reading(): Reading {
    return new Reading({
      pull: () => this.#nextEvents(),
      stop: async () => this.#finish({ how: 'aborted' }),
    });
  }

  #wants(interest: Interest): void {
    if (this.#relayed !== undefined) this.#relayed.interest = interest;
  }

  #nextChunk(): Pulled<Uint8Array> {
    if (this.#ended || this.#relayed === undefined) return undefined;
    try {
      const chunk = this.#relayed.raw.body.next();
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
    this.#begun();
    for (const recorder of this.#recorders) recorder.bytes(chunk);
    if (!this.#looks.isEmpty && this.#relayed !== undefined) this.#show(this.#relayed.read(chunk));
    return chunk;
  }

  #nextEvents(): Promise<Events | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    const coming = this.#comingEvents();
    return this.#holder === undefined ? coming : this.#holder.wait(coming);
  }

  async #comingEvents(): Promise<Events | undefined> {
    const maker = this.#maker;
    try {
      const events = await (maker === undefined
        ? this.#pullEvents()
        : maker.work(() => this.#pullEvents()).catch((fault) => Promise.reject(maker.failed(fault, false))));
      if (events === undefined) return await this.#complete();
      this.#show(events);
      return events;
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #pullEvents(): Promise<Events | undefined> {
    if (this.#relayed === undefined) {
      const events = await this.#events?.next();
      if (events !== undefined) for (const recorder of this.#recorders) recorder.events(events);
      return events;
    }
    this.#wants('everything');
    const chunk = await this.#relayed.raw.body.next();
    if (chunk !== undefined) {
      for (const recorder of this.#recorders) recorder.bytes(chunk);
      return this.#relayed.read(chunk);
    }
    const last = this.#lastEvents();
    return last.length > 0 ? last : undefined;
  }

  /** What bytes say when no more come; those that end too early have said what they had to, and are broken. */
  #lastEvents(): Events {
    const last = this.#relayed?.end() ?? [];
    const broken = this.#relayed?.cutShort;
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
        this.#streamError ??= toldError(event.error);
        this.#failure ??= this.#streamError;
      }
      this.#looks.show(event, this.#blame);
    }
  }

  /** Fails the answer where the module that looked can't be done without. */
  readonly #blame = (fault: unknown, keeper: Keeper | undefined): void => {
    if (keeper === undefined) {
      this.#faults = [...this.#faults, fault];
      return;
    }
    const failure = keeper.failed(fault, true);
    if (failure !== undefined && !this.#ended) throw failure;
  };

  #complete(): undefined | Promise<undefined> {
    this.#show(this.#lastEvents());
    const told = this.#finish(
      this.#streamError === undefined ? { how: 'complete' } : { how: 'failed', error: this.#streamError },
    );
    return told?.then(() => undefined);
  }

  #failed(error: unknown): Promise<never> {
    this.#failure = error;
    return Promise.resolve(this.#finish(endingOf(error))).then(() => Promise.reject(error));
  }

  #finish(ending: Ending): undefined | Promise<void> {
    if (this.#ended) return undefined;
    this.#ended = true;
    this.#begun();
    if (ending.how !== 'complete') {
      (this.#relayed?.raw.body ?? this.#events)?.cancel();
      try {
        this.#show(this.#relayed?.end() ?? []);
      } catch (fault) {
        this.#faults = [...this.#faults, fault];
      }
    }
    return this.#endings.tell(ending, this.#blame);
  }

  static {
    custody = {
      give(reply, holder) {
        reply.#holder = holder;
      },
      release(reply) {
        reply.#holder = undefined;
        return reply;
      },
      claim(reply, maker) {
        for (let one: Reply | undefined = reply; one !== undefined; one = one.#parent) {
          if (one.#holder !== undefined || one.#maker !== undefined) return;
          one.#maker = maker;
          one.#looks.claim(maker);
          one.#endings.claim(maker);
        }
      },
      left(reply, kept) {
        let last = reply;
        while (last.#heir !== undefined) last = last.#heir;
        return last === kept || last.#taken ? undefined : last;
      },
      onBegun(reply, then) {
        const before = reply.#onBegun;
        reply.#onBegun = () => {
          before?.();
          then();
        };
      },
      onEnd(reply, then) {
        reply.#endings.add(then, undefined, reply.#blame);
        return reply;
      },
      revoke(reply) {
        const twin = new Reply({
          relayed: reply.#relayed,
          events: reply.#events,
          parent: reply.#parent,
          origin: reply.#origin,
          looks: reply.#looks,
          endings: reply.#endings,
          recorders: reply.#recorders,
          maker: reply.#maker,
        });
        reply.#taken = true;
        reply.#ended = true;
        return twin;
      },
      origin(reply) {
        return reply.#origin;
      },
    };
  }
}

const nothing: Unread = { tokens: 0, calls: 0 };
const none: readonly never[] = [];
