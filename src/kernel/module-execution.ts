import { ignoreErrors } from '../lib/ignore-errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Attempt, AttemptObserver } from './attempt.ts';
import { createPrefixKit, type Prefix, type PrefixKit } from './conversation/prefix.ts';
import { GatewayError, isRejection } from './errors.ts';
import { type Exchange, requestOriginOf, withRequestOrigin } from './exchange.ts';
import { InnerAttempts } from './inner-attempts.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { Handler, Module } from './module.ts';
import type { CodeOwner } from './reply/code-owner.ts';
import { type Reply, replyOwnership } from './reply/reply.ts';
import { type DeadlineTimer, Stopwatch } from './stopwatch.ts';
import { type Touch, touchesBetween } from './touches.ts';
import type { Step } from './trace.ts';

interface ModuleExecutionParts {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly step: Step;
  readonly deadlineTimer: DeadlineTimer;
}

/** One module's run in one call, until its reply has ended: its effect, its time, and its faults. */
export class ModuleExecution implements CodeOwner, AttemptObserver {
  readonly module: Module;
  readonly step: Step;
  /** The module around it, if any. */
  readonly outer: AttemptObserver | undefined;
  readonly #exchange: Exchange;
  readonly #next: Handler;
  #innerReplies: readonly Reply[] = none;
  /** Failures of inner modules or the provider, which are not the module's fault. */
  #innerFailures: readonly unknown[] = none;
  readonly #innerAttempts = new InnerAttempts((fault) => this.#recordFault(fault));
  readonly #stopwatch: Stopwatch;
  #hasChangedRequest = false;
  /** The request that the module may pass on although it breaks a provider's cache. */
  #allowedRequest: ChatRequest | undefined;
  #nextCalls = 0;
  #attemptCount = 0;
  /** The error that the module made the reply fail with. */
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

  /** The module's `next`. */
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

  /** Preserves the cached prefix of the conversation, unless the module may change it. */
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

  /** The module's view of the prefix. */
  get prefix(): PrefixKit {
    const { module, step } = this;
    const { prefix } = requestOriginOf(this.#exchange);
    return createPrefixKit({ exchange: this.#exchange, module: module.name, step }, prefix, (edited) => {
      this.#allowedRequest = edited;
    });
  }

  /** After the module has returned its reply, it must read further replies at once; otherwise they are discarded. */
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

  /** Stops a module that loops. */
  checkAttemptLimit(): void {
    if (++this.#attemptCount > limits.attemptsMax)
      throw new Error(`a module may make at most ${limits.attemptsMax} attempts in one call`);
  }

  /** Listeners for the end of all attempts below this module. */
  get innerAttempts(): Pick<InnerAttempts, 'onBilled' | 'onSettled'> {
    return this.#innerAttempts;
  }

  /** An attempt starts below this module. */
  attemptStarted(attempt: Attempt): void {
    this.#innerAttempts.add(attempt);
  }

  attemptEnded(): void {
    this.#innerAttempts.attemptEnded();
  }

  /** Runs the module; its failures are handled by its own `ifBroken`. */
  async run(handle: () => Promise<Reply>): Promise<Reply> {
    let handled: Promise<Reply> | undefined;
    try {
      const reply = this.#acceptReply(await this.runTimed(() => (handled = startHandler(handle))));
      this.#hasHandled = true;
      this.#discardUnread(reply);
      return replyOwnership.onEnd(reply, () => this.#end());
    } catch (thrown) {
      this.#hasHandled = true;
      // Discard a reply that arrives after the deadline.
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

  /**
   * Discards the replies that will not be read. A module that answers by itself may start to read them when its own
   * reply starts.
   */
  #discardUnread(delivered: Reply): void {
    const stopAll = () => {
      for (const given of this.#innerReplies) {
        const left = replyOwnership.findUnreadDescendant(given, delivered);
        if (left !== undefined) discardReply(left);
      }
    };
    if (this.#innerReplies.length === 0) return;
    if (this.#innerReplies.some((given) => delivered.derivesFrom(given))) stopAll();
    else replyOwnership.onStart(delivered, stopAll);
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

  /**
   * Continues as if the module weren't there, unless it must not be skipped, or has read the reply, which can't be
   * undone.
   */
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
      // The module may still be running, and must not interfere with the reply that others read now.
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

  /** Replies that the module still reads may continue for a while. */
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

/** Turns a synchronous throw into a rejection. */
function startHandler(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return Promise.resolve(handle());
  } catch (fault) {
    return Promise.reject(fault);
  }
}

/** Doesn't wait for the end. */
function discardReply(reply: Reply): void {
  void reply.discard();
}

/** Errors of unavailable stores are reported as they are. */
function moduleBrokenError(module: Module, cause: unknown): GatewayError {
  if (GatewayError.is(cause)) return cause;
  return new GatewayError(
    'module_broken',
    `the module ${module.name} failed; remove it from the pipeline to continue without it`,
    { cause },
  );
}
