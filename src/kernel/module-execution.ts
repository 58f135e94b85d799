import type { Attempt, AttemptObserver } from './attempt.ts';
import { createPrefixKit, type Prefix, type PrefixKit } from './conversation/prefix.ts';
import { GatewayError, isRejection } from './errors.ts';
import { type Exchange, requestOriginOf, withRequestOrigin } from './exchange.ts';
import { ignoreErrors } from './ignore-errors.ts';
import { InnerAttempts } from './inner-attempts.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { Handler, Module } from './module.ts';
import type { CodeOwner } from './reply/code-owner.ts';
import { type Reply, replyOwnership } from './reply/reply.ts';
import { type DeadlineTimer, Stopwatch } from './stopwatch.ts';
import { type Touch, touchesBetween } from './touches.ts';
import type { Step } from './trace.ts';
import { withTimeout } from './with-timeout.ts';

interface ModuleExecutionParts {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly step: Step;
  readonly deadlineTimer: DeadlineTimer;
}

/** One module at work on one call: what it does, how long it takes, and whose fault it is, until its reply has ended. */
export class ModuleExecution implements CodeOwner, AttemptObserver {
  readonly module: Module;
  readonly step: Step;
  /** The module around it, where there is one. */
  readonly outer: AttemptObserver | undefined;
  readonly #exchange: Exchange;
  readonly #next: Handler;
  #innerReplies: readonly Reply[] = none;
  /** Failures from further in, which are not the module's. */
  #innerFailures: readonly unknown[] = none;
  readonly #innerAttempts = new InnerAttempts((fault) => this.#recordFault(fault));
  readonly #stopwatch: Stopwatch;
  #hasChangedRequest = false;
  /** What the module may make of the request, though a provider's cache doesn't survive it. */
  #allowedRequest: ChatRequest | undefined;
  #nextCalls = 0;
  #attemptCount = 0;
  /** What the answer was made to fail with because of the module. */
  #reportedFailure: unknown;
  #isEnded = false;
  #hasHandled = false;

  constructor(module: Module, { exchange, next, step, deadlineTimer }: ModuleExecutionParts) {
    this.module = module;
    this.step = step;
    this.outer = requestOriginOf(exchange).observer;
    this.#exchange = exchange;
    this.#next = next;
    this.#stopwatch = new Stopwatch(deadlineTimer, this.#deadlineMs);
  }

  get #deadlineMs(): number {
    return this.module.deadlineMs ?? limits.moduleDeadlineMs;
  }

  get exchange(): Exchange {
    return this.#exchange;
  }

  /** What the module is given as `next`. */
  readonly next: Handler = (passed) => ignoreErrors(this.#callNext(passed));

  async #callNext(passed: Exchange): Promise<Reply> {
    if (this.#stopwatch.expired)
      throw new Error('the module exceeded its deadline; the call continued without it');
    if (this.#isEnded) throw new Error('next() was called after the call ended');
    this.#checkTouches(passed);
    const { goesOn, prefix } = this.#guardPrefix(passed);
    if (goesOn !== this.#exchange) this.#hasChangedRequest = true;
    this.checkAttemptLimit();
    const requestOrigin = requestOriginOf(this.#exchange);
    const askedBy = ++this.#nextCalls > 1 ? this.module.name : requestOrigin.askedBy;
    const further = withRequestOrigin(goesOn, { ...requestOrigin, observer: this, askedBy, prefix });
    try {
      return this.#takeInnerReply(await this.awaitInner(this.#next(further)));
    } catch (failure) {
      this.#innerFailures = [...this.#innerFailures, failure];
      throw failure;
    }
  }

  /** What the provider keeps of a conversation stays as it was, unless the module may change it. */
  #guardPrefix(outgoing: Exchange): { readonly goesOn: Exchange; readonly prefix?: Prefix } {
    const { prefix } = requestOriginOf(this.#exchange);
    if (prefix === undefined) return { goesOn: outgoing };
    const { module, step } = this;
    return prefix.guardEdit({
      module: module.name,
      incoming: this.#exchange,
      outgoing,
      step,
      allowed: this.#allowedRequest,
    });
  }

  /** What is known of that, for the module. */
  get prefix(): PrefixKit {
    const { module, step } = this;
    const { prefix } = requestOriginOf(this.#exchange);
    return createPrefixKit({ exchange: this.#exchange, module: module.name, step }, prefix, (edited) => {
      this.#allowedRequest = edited;
    });
  }

  /** Who has handed on an answer may still read another, but then at once; else nobody ever would. */
  #takeInnerReply(reply: Reply): Reply {
    if (this.#isEnded || this.#stopwatch.expired) {
      discardReply(reply);
      throw new Error('the reply arrived after the call had continued without it');
    }
    this.#innerReplies = [...this.#innerReplies, reply];
    replyOwnership.setHolder(reply, this);
    if (this.#hasHandled) setImmediate(() => reply.consumed || discardReply(reply));
    return reply;
  }

  /** A module that goes round in circles is stopped. */
  checkAttemptLimit(): void {
    if (++this.#attemptCount > limits.attemptsMax)
      throw new Error(`a module may make at most ${limits.attemptsMax} attempts in one call`);
  }

  /** Who waits until nothing is under way that providers were asked for below this module. */
  get innerAttempts(): Pick<InnerAttempts, 'onBilled' | 'onSettled'> {
    return this.#innerAttempts;
  }

  /** A provider is asked below this module. */
  attemptStarted(attempt: Attempt): void {
    this.#innerAttempts.add(attempt);
  }

  attemptEnded(): void {
    this.#innerAttempts.attemptEnded();
  }

  /** Runs the module; its failures are met by its own `ifBroken`. */
  async run(handle: () => Promise<Reply>): Promise<Reply> {
    let handled: Promise<Reply> | undefined;
    try {
      const reply = this.#acceptReply(await this.runTimed(() => (handled = startHandler(handle))));
      this.#hasHandled = true;
      this.#discardUnread(reply);
      return replyOwnership.onEnd(reply, () => this.#end());
    } catch (thrown) {
      this.#hasHandled = true;
      // What comes when nobody waits for it any more is told to stop.
      if (this.#stopwatch.expired) handled?.then(discardReply).catch(() => undefined);
      try {
        return replyOwnership.onEnd(await this.#continueWithout(thrown), () => this.#end());
      } catch (failure) {
        this.#end();
        throw failure;
      }
    } finally {
      this.step.ownMs = this.#stopwatch.ms;
    }
  }

  /** What it was given and nobody will read. One who answers by itself may begin to read when its own answer begins. */
  #discardUnread(kept: Reply): void {
    const stopAll = () => {
      for (const given of this.#innerReplies) {
        const left = replyOwnership.findUnreadDescendant(given, kept);
        if (left !== undefined) discardReply(left);
      }
    };
    if (this.#innerReplies.length === 0) return;
    if (this.#innerReplies.some((given) => kept.derivesFrom(given))) stopAll();
    else replyOwnership.onStart(kept, stopAll);
  }

  runTimed<Done>(task: () => Promise<Done>): Promise<Done> {
    return this.#stopwatch.run(task);
  }

  awaitFinal<Done>(work: Promise<Done>): Promise<Done> {
    const ms = this.#deadlineMs;
    return withTimeout(
      work,
      ms,
      () => new Error(`the module exceeded its deadline of ${ms / 1000} s at the end of the reply`),
    );
  }

  awaitInner<Done>(inner: Promise<Done>): Promise<Done> {
    return this.#stopwatch.pauseDuring(inner);
  }

  handleFault(fault: unknown, mayGoOn: boolean): unknown {
    if (fault === this.#reportedFailure || this.#isInnerFailure(fault)) return fault;
    if (isRejection(fault)) {
      this.step.effect = 'rejected';
      return fault;
    }
    this.#recordFault(fault);
    if (mayGoOn && this.module.ifBroken === 'skip') return undefined;
    this.#reportedFailure = moduleBrokenError(this.module, fault);
    return this.#reportedFailure;
  }

  #acceptReply(reply: Reply): Reply {
    const isGiven = this.#innerReplies.includes(reply);
    if (reply.consumed) throw new Error('the module returned a reply that was already read');
    if (!isGiven) {
      this.#requireTouch('reply');
      replyOwnership.assignMaker(reply, this);
    }
    if (this.#innerReplies.length === 0) this.step.effect = 'answered';
    else if (!isGiven) this.step.effect = this.#hasChangedRequest ? 'changed-both' : 'changed-reply';
    else if (this.#hasChangedRequest) this.step.effect = 'changed-request';
    return reply;
  }

  /** Goes on as if the module weren't there, unless it asked not to, or has read the reply: that can't be undone. */
  async #continueWithout(thrown: unknown): Promise<Reply> {
    const given = this.#innerReplies;
    if (this.#isInnerFailure(thrown) || isRejection(thrown)) {
      if (!this.#isInnerFailure(thrown)) this.step.effect = 'rejected';
      else if (this.#hasChangedRequest) this.step.effect = 'changed-request';
      given.forEach(discardReply);
      throw thrown;
    }
    this.#recordFault(thrown);
    const [innerFailure] = this.#innerFailures;
    if (innerFailure !== undefined && given.length === 0) throw innerFailure;
    const intact = given.findLast((reply) => !reply.consumed);
    if (this.module.ifBroken === 'skip' && (intact !== undefined || given.length === 0)) {
      for (const reply of given) if (reply !== intact) discardReply(reply);
      // The module may still be at work, and must not lay hands on what others read now.
      return intact === undefined ? this.#next(this.#exchange) : replyOwnership.revoke(intact);
    }
    given.forEach(discardReply);
    throw moduleBrokenError(this.module, thrown);
  }

  #recordFault(fault: unknown): void {
    this.step.effect = 'broken';
    this.step.fault ??= fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  }

  #isInnerFailure(failure: unknown): boolean {
    return (
      this.#innerFailures.includes(failure) || this.#innerReplies.some((reply) => reply.failure === failure)
    );
  }

  #checkTouches(passed: Exchange): void {
    if (passed === this.#exchange) return;
    if (passed.target !== this.#exchange.target) this.#requireTouch('target');
    if (passed.isUnmodified && this.#exchange.isUnmodified) return;
    for (const touch of touchesBetween(this.#exchange.request, passed.request)) this.#requireTouch(touch);
  }

  #requireTouch(touch: Touch): void {
    if (this.module.touches.includes(touch)) return;
    throw new Error(`the module ${this.module.name} may not change "${touch}": its "touches" do not list it`);
  }

  /** What the module still reads goes on for a while. */
  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopwatch.stop();
    this.step.ownMs = this.#stopwatch.ms;
    const open = this.#innerReplies.filter((reply) => !reply.ended);
    for (const reply of open) if (!reply.consumed) discardReply(reply);
    if (open.some((reply) => !reply.ended))
      setTimeout(() => open.forEach(discardReply), limits.moduleLateReadMs).unref();
    this.#innerAttempts.moduleEnded();
  }
}

const none: readonly never[] = [];

/** What a module throws before it has begun to wait is no different from what it throws later. */
function startHandler(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return Promise.resolve(handle());
  } catch (fault) {
    return Promise.reject(fault);
  }
}

/** Nobody waits until it has stopped. */
function discardReply(reply: Reply): void {
  void reply.discard();
}

/** What is away says so to the client in its own words. */
function moduleBrokenError(module: Module, cause: unknown): GatewayError {
  if (GatewayError.is(cause)) return cause;
  return new GatewayError(
    'module_broken',
    `the module ${module.name} failed; remove it from the pipeline to continue without it`,
    { cause },
  );
}
