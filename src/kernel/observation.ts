import { AskedBelow } from './asked-below.ts';
import type { Asker, Attempt } from './attempt.ts';
import { type Prefix, type PrefixKit, prefixKit } from './conversation/prefix.ts';
import { GatewayError, isRefusal } from './errors.ts';
import { askedFor, askingOf, type Exchange } from './exchange.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { Handler, Module } from './module.ts';
import { quietly } from './quietly.ts';
import type { Keeper } from './reply/keeper.ts';
import { custody, type Reply } from './reply/reply.ts';
import { Stopwatch, type Timekeeper } from './stopwatch.ts';
import { type Touch, touchedBetween } from './touches.ts';
import type { Step } from './trace.ts';
import { within } from './within.ts';

interface Watched {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly step: Step;
  readonly timekeeper: Timekeeper;
}

/** One module at work on one call: what it does, how long it takes, and whose fault it is, until its reply has ended. */
export class Observation implements Keeper, Asker {
  readonly module: Module;
  readonly step: Step;
  /** The module around it, where there is one. */
  readonly outer: Asker | undefined;
  readonly #exchange: Exchange;
  readonly #next: Handler;
  #given: readonly Reply[] = none;
  /** Failures from further in, which are not the module's. */
  #inner: readonly unknown[] = none;
  readonly #asked = new AskedBelow((fault) => this.#broke(fault));
  readonly #stopwatch: Stopwatch;
  #changedRequest = false;
  /** What the module may make of the request, though a provider's cache doesn't survive it. */
  #allowed: ChatRequest | undefined;
  #callsOfNext = 0;
  #questions = 0;
  /** What the answer was made to fail with because of the module. */
  #verdict: unknown;
  #isOver = false;
  #hasHandled = false;

  constructor(module: Module, { exchange, next, step, timekeeper }: Watched) {
    this.module = module;
    this.step = step;
    this.outer = askingOf(exchange).within;
    this.#exchange = exchange;
    this.#next = next;
    this.#stopwatch = new Stopwatch(timekeeper, this.#deadlineMs);
  }

  get #deadlineMs(): number {
    return this.module.deadlineMs ?? limits.moduleDeadlineMs;
  }

  get exchange(): Exchange {
    return this.#exchange;
  }

  /** What the module is given as `next`. */
  readonly next: Handler = (passed) => quietly(this.#ask(passed));

  async #ask(passed: Exchange): Promise<Reply> {
    if (this.#stopwatch.expired) throw new Error('this call goes on without the module, which took too long');
    if (this.#isOver) throw new Error('this call is over');
    this.#checkTouches(passed);
    const { goesOn, prefix } = this.#guarded(passed);
    if (goesOn !== this.#exchange) this.#changedRequest = true;
    this.mayAsk();
    const asking = askingOf(this.#exchange);
    const askedBy = ++this.#callsOfNext > 1 ? this.module.name : asking.askedBy;
    const further = askedFor(goesOn, { ...asking, within: this, askedBy, prefix });
    try {
      return this.#received(await this.wait(this.#next(further)));
    } catch (failure) {
      this.#inner = [...this.#inner, failure];
      throw failure;
    }
  }

  /** What the provider keeps of a conversation stays as it was, unless the module may change it. */
  #guarded(passed: Exchange): { readonly goesOn: Exchange; readonly prefix?: Prefix } {
    const { prefix } = askingOf(this.#exchange);
    if (prefix === undefined) return { goesOn: passed };
    const { module, step } = this;
    return prefix.through({
      module: module.name,
      came: this.#exchange,
      passed,
      step,
      allowed: this.#allowed,
    });
  }

  /** What is known of that, for the module. */
  get prefix(): PrefixKit {
    const { module, step } = this;
    const { prefix } = askingOf(this.#exchange);
    return prefixKit({ exchange: this.#exchange, module: module.name, step }, prefix, (edited) => {
      this.#allowed = edited;
    });
  }

  /** Who has handed on an answer may still read another, but then at once; else nobody ever would. */
  #received(reply: Reply): Reply {
    if (this.#isOver || this.#stopwatch.expired) {
      stop(reply);
      throw new Error('this answer comes too late: the call went on without it');
    }
    this.#given = [...this.#given, reply];
    custody.give(reply, this);
    if (this.#hasHandled) setImmediate(() => reply.consumed || stop(reply));
    return reply;
  }

  /** A module that goes round in circles is stopped. */
  mayAsk(): void {
    if (++this.#questions > limits.attemptsMax)
      throw new Error(`a module asks for ${limits.attemptsMax} answers in one call at most`);
  }

  /** Who waits until nothing is under way that providers were asked for below this module. */
  get asked(): Pick<AskedBelow, 'whenPaid' | 'whenSettled'> {
    return this.#asked;
  }

  /** A provider is asked below this module. */
  asks(attempt: Attempt): void {
    this.#asked.add(attempt);
  }

  attemptEnded(): void {
    this.#asked.attemptEnded();
  }

  /** Runs the module; its failures are met by its own `ifBroken`. */
  async run(handle: () => Promise<Reply>): Promise<Reply> {
    let handled: Promise<Reply> | undefined;
    try {
      const reply = this.#accepted(await this.work(() => (handled = begun(handle))));
      this.#hasHandled = true;
      this.#stopLeft(reply);
      return custody.onEnd(reply, () => this.#end());
    } catch (thrown) {
      this.#hasHandled = true;
      // What comes when nobody waits for it any more is told to stop.
      if (this.#stopwatch.expired) handled?.then(stop).catch(() => undefined);
      try {
        return custody.onEnd(await this.#without(thrown), () => this.#end());
      } catch (failure) {
        this.#end();
        throw failure;
      }
    } finally {
      this.step.ownMs = this.#stopwatch.ms;
    }
  }

  /** What it was given and nobody will read. One who answers by itself may begin to read when its own answer begins. */
  #stopLeft(kept: Reply): void {
    const stopAll = () => {
      for (const given of this.#given) {
        const left = custody.left(given, kept);
        if (left !== undefined) stop(left);
      }
    };
    if (this.#given.length === 0) return;
    if (this.#given.some((given) => kept.derivesFrom(given))) stopAll();
    else custody.onBegun(kept, stopAll);
  }

  work<Done>(task: () => Promise<Done>): Promise<Done> {
    return this.#stopwatch.run(task);
  }

  last<Done>(work: Promise<Done>): Promise<Done> {
    const ms = this.#deadlineMs;
    return within(work, ms, () => new Error(`it took more than ${ms / 1000} s at the end of an answer`));
  }

  wait<Done>(inner: Promise<Done>): Promise<Done> {
    return this.#stopwatch.paused(inner);
  }

  failed(fault: unknown, mayGoOn: boolean): unknown {
    if (fault === this.#verdict || this.#isInner(fault)) return fault;
    if (isRefusal(fault)) {
      this.step.effect = 'rejected';
      return fault;
    }
    this.#broke(fault);
    if (mayGoOn && this.module.ifBroken === 'skip') return undefined;
    this.#verdict = broken(this.module, fault);
    return this.#verdict;
  }

  #accepted(reply: Reply): Reply {
    const isGiven = this.#given.includes(reply);
    if (reply.consumed) throw new Error('the reply that the module handed on was read already');
    if (!isGiven) {
      this.#mayTouch('reply');
      custody.claim(reply, this);
    }
    if (this.#given.length === 0) this.step.effect = 'answered';
    else if (!isGiven) this.step.effect = this.#changedRequest ? 'changed-both' : 'changed-reply';
    else if (this.#changedRequest) this.step.effect = 'changed-request';
    return reply;
  }

  /** Goes on as if the module weren't there, unless it asked not to, or has read the reply: that can't be undone. */
  async #without(thrown: unknown): Promise<Reply> {
    const given = this.#given;
    if (this.#isInner(thrown) || isRefusal(thrown)) {
      if (!this.#isInner(thrown)) this.step.effect = 'rejected';
      else if (this.#changedRequest) this.step.effect = 'changed-request';
      given.forEach(stop);
      throw thrown;
    }
    this.#broke(thrown);
    const [innerFailure] = this.#inner;
    if (innerFailure !== undefined && given.length === 0) throw innerFailure;
    const intact = given.findLast((reply) => !reply.consumed);
    if (this.module.ifBroken === 'skip' && (intact !== undefined || given.length === 0)) {
      for (const reply of given) if (reply !== intact) stop(reply);
      // The module may still be at work, and must not lay hands on what others read now.
      return intact === undefined ? this.#next(this.#exchange) : custody.revoke(intact);
    }
    given.forEach(stop);
    throw broken(this.module, thrown);
  }

  #broke(fault: unknown): void {
    this.step.effect = 'broken';
    this.step.fault ??= fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  }

  #isInner(failure: unknown): boolean {
    return this.#inner.includes(failure) || this.#given.some((reply) => reply.failure === failure);
  }

  #checkTouches(passed: Exchange): void {
    if (passed === this.#exchange) return;
    if (passed.target !== this.#exchange.target) this.#mayTouch('target');
    if (passed.untouched && this.#exchange.untouched) return;
    for (const touch of touchedBetween(this.#exchange.request, passed.request)) this.#mayTouch(touch);
  }

  #mayTouch(touch: Touch): void {
    if (this.module.touches.includes(touch)) return;
    throw new Error(`the module ${this.module.name} may not change "${touch}": its touches don't list it`);
  }

  /** What the module still reads goes on for a while. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopwatch.stop();
    this.step.ownMs = this.#stopwatch.ms;
    const open = this.#given.filter((reply) => !reply.ended);
    for (const reply of open) if (!reply.consumed) stop(reply);
    if (open.some((reply) => !reply.ended))
      setTimeout(() => open.forEach(stop), limits.moduleAfterworkMs).unref();
    this.#asked.over();
  }
}

const none: readonly never[] = [];

/** What a module throws before it has begun to wait is no different from what it throws later. */
function begun(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return Promise.resolve(handle());
  } catch (fault) {
    return Promise.reject(fault);
  }
}

/** Nobody waits until it has stopped. */
function stop(reply: Reply): void {
  void reply.discard();
}

/** What is away says so to the client in its own words. */
function broken(module: Module, cause: unknown): GatewayError {
  if (GatewayError.is(cause)) return cause;
  return new GatewayError(
    'module_broken',
    `the module ${module.name} failed; leave it out of the pipeline to go on without it`,
    { cause },
  );
}
