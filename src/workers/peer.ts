import { limits } from '../kernel/limits.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import { type Failure, failureOf, thrownBy } from './failure.ts';

/** What one side can be asked, by name. Both sides are of one release, so that the names stand for the types. */
export type Questions<Names> = { readonly [Name in keyof Names]: Answer };

type Answer = { answer(...values: readonly unknown[]): unknown }['answer'];

/** The way to another process; whatever can be cloned arrives as it was sent. */
export interface Link {
  send(message: Said): void;
  onMessage(hear: (message: Said) => void): void;
  onEnd(then: () => void): void;
}

/** All that was said in one turn of the event loop. */
export interface Said {
  readonly asked: readonly Asked[];
  readonly answered: readonly Answered[];
}

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly values: readonly unknown[];
  /** On the machine's clock: after this nobody waits for the answer. */
  readonly untilMs: number;
}

interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}

interface Pending {
  readonly untilMs: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface PeerParts<Mine> {
  readonly link: Link;
  /** What the other side may ask. */
  readonly answers: Mine;
  readonly pendingMax?: number;
}

/**
 * Two processes that ask each other questions. Whoever asks has an answer or an error within a bounded time, and what
 * is said in one turn of the event loop goes out as one message: the message is what costs, not what is in it.
 */
export class Peer<Mine extends Questions<Mine>, Theirs extends Questions<Theirs>> {
  readonly #link: Link;
  readonly #answering: ReadonlyMap<string, Answer>;
  readonly #pendingMax: number;
  readonly #pending = new Map<number, Pending>();
  #questions: Asked[] = [];
  #answers: Answered[] = [];
  #willSend = false;
  #willSweep = false;
  #hasEnded = false;
  #lastId = 0;

  constructor({ link, answers, pendingMax = limits.workerPendingMax }: PeerParts<Mine>) {
    this.#link = link;
    this.#answering = new Map(Object.entries(answers));
    this.#pendingMax = pendingMax;
    link.onMessage((said) => this.#hear(said));
    link.onEnd(() => this.#end());
  }

  /** Whether nothing can be asked any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Questions that have no answer yet. */
  get pending(): number {
    return this.#pending.size;
  }

  ask<Name extends keyof Theirs & string>(
    name: Name,
    ...values: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return this.askWithin(limits.workerAnswerMs, name, ...values);
  }

  askWithin<Name extends keyof Theirs & string>(
    ms: number,
    name: Name,
    ...values: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw unavailable('the other process has ended');
      if (this.#pending.size >= this.#pendingMax) throw unavailable('the other process is not keeping up');
      const id = ++this.#lastId;
      const untilMs = Date.now() + ms;
      this.#pending.set(id, { untilMs, resolve, reject });
      this.#questions.push({ id, name, values, untilMs });
      this.#sendSoon();
      this.#sweepSoon();
    });
  }

  #hear({ asked, answered }: Said): void {
    for (const answer of answered) this.#settle(answer);
    // Those who were answered go on first: what is asked with their answers may be about what they got.
    if (asked.length > 0) queueMicrotask(() => this.#answerAll(asked));
  }

  #answerAll(asked: readonly Asked[]): void {
    const nowMs = Date.now();
    // What nobody waits for must not be done: a slot would be taken that nobody gives back.
    for (const question of asked) if (question.untilMs > nowMs) void this.#answer(question);
  }

  #settle({ id, value, failure }: Answered): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (failure === undefined) pending?.resolve(value);
    else pending?.reject(thrownBy(failure));
  }

  async #answer(question: Asked): Promise<void> {
    const answered = await this.#answered(question);
    this.#answers.push(answered);
    this.#sendSoon();
  }

  async #answered({ id, name, values }: Asked): Promise<Answered> {
    try {
      const answer = this.#answering.get(name);
      if (answer === undefined) throw new Error(`nobody here answers "${name}"`);
      return { id, value: await answer(...values) };
    } catch (thrown) {
      return { id, failure: failureOf(thrown) };
    }
  }

  /** After everything that has arrived by now is looked at, since that is what is said at once. */
  #sendSoon(): void {
    if (this.#willSend) return;
    this.#willSend = true;
    setImmediate(() => {
      this.#willSend = false;
      const said = { asked: this.#questions, answered: this.#answers };
      this.#questions = [];
      this.#answers = [];
      if (!this.#hasEnded) this.#link.send(said);
    });
  }

  /** One timer for all that is pending: one for each would cost as much as the question. */
  #sweepSoon(): void {
    if (this.#willSweep) return;
    this.#willSweep = true;
    // After a long task of our own answers may be there and not read yet: they are, before the immediate runs.
    setTimeout(() => setImmediate(() => this.#sweep()), limits.workerSweepMs).unref();
  }

  #sweep(): void {
    this.#willSweep = false;
    const nowMs = Date.now();
    for (const [id, { untilMs, reject }] of this.#pending)
      if (untilMs <= nowMs) {
        this.#pending.delete(id);
        reject(unavailable('the other process did not answer in time'));
      }
    if (this.#pending.size > 0) this.#sweepSoon();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#pending.values()) reject(unavailable('the other process has ended'));
    this.#pending.clear();
  }
}
