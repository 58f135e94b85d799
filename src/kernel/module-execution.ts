import { ignoreErrors } from '../lib/ignore-errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Attempt, AttemptObserver } from './attempt.ts';
import { createPrefixKit, type Prefix, type PrefixKit } from './conversation/prefix.ts';
import { GatewayError, isRejection } from './errors.ts';
import { type Exchange, requestOriginOf, withRequestOrigin } from './exchange.ts';
import { InnerAttempts } from './inner-attempts.ts';
import { discardReply, InnerReplies } from './inner-replies.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { Handler, Module } from './module.ts';
import type { CodeOwner } from './reply/code-owner.ts';
import { type Reply, replyOwnership } from './reply/reply.ts';
import { type DeadlineTimer, Stopwatch } from './stopwatch.ts';
import { checkTouches, redacts, requireTouch } from './touches.ts';
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
  readonly exchange: Exchange;
  readonly step: Step;
  /** The module around it, if any. */
  readonly outer: AttemptObserver | undefined;
  readonly #next: Handler;
  readonly #stopwatch: Stopwatch;
  readonly #innerReplies = new InnerReplies();
  /** Replies to the module's own calls. */
  readonly #ownReplies = new InnerReplies();
  readonly #innerAttempts = new InnerAttempts((fault) => this.#recordFault(fault));
  #nextCalls = 0;
  #attemptCount = 0;
  #hasChangedRequest = false;
  /** The request that the module may pass on although it breaks a provider's cache. */
  #allowedRequest: ChatRequest | undefined;
  /** Whether the module has returned or thrown. */
  #hasHandled = false;
  #isEnded = false;
  /** The error that the module made the reply fail with. */
  #reportedFailure: unknown;

  constructor(module: Module, { exchange, next, step, deadlineTimer }: ModuleExecutionParts) {
    this.module = module;
    this.exchange = exchange;
    this.step = step;
    this.outer = requestOriginOf(exchange).observer;
    this.#next = next;
    this.#stopwatch = new Stopwatch(deadlineTimer, this.#deadlineMs);
  }

  get #deadlineMs(): number {
    return this.module.deadlineMs ?? limits.moduleDeadlineMs;
  }

  /** Runs the module; its failures are handled by its own `ifBroken`. */
  async run(handle: () => Promise<Reply>): Promise<Reply> {
    try {
      return replyOwnership.onEnd(await this.#runHandler(handle), () => this.#end());
    } catch (failure) {
      this.#end();
      throw failure;
    } finally {
      this.step.ownMs = this.#stopwatch.ms;
    }
  }

  async #runHandler(handle: () => Promise<Reply>): Promise<Reply> {
    let handled: Promise<Reply> | undefined;
    try {
      const reply = await this.runTimed(() => (handled = startHandler(handle)));
      this.#checkReply(reply);
      this.#hasHandled = true;
      this.#innerReplies.discardUnread(reply);
      this.#ownReplies.discardUnread(reply);
      return reply;
    } catch (thrown) {
      this.#hasHandled = true;
      // Discard a reply that arrives after the deadline.
      if (this.#stopwatch.expired) handled?.then(discardReply).catch(() => undefined);
      return this.#handleThrown(thrown);
    }
  }

  /** Checks the reply that the module returned, and records the module's effect. */
  #checkReply(reply: Reply): void {
    if (reply.consumed) throw new Error('the module returned a reply that was already read');
    const isInner = this.#innerReplies.includes(reply);
    if (!isInner) {
      requireTouch(this.module, 'reply');
      replyOwnership.assignMaker(reply, this);
    }
    if (this.#innerReplies.isEmpty) this.step.effect = 'answered';
    else if (!isInner) this.step.effect = this.#hasChangedRequest ? 'changed-both' : 'changed-reply';
    else if (this.#hasChangedRequest) this.step.effect = 'changed-request';
  }

  /** Throws failures from further in and rejections; continues after a fault if possible. */
  async #handleThrown(thrown: unknown): Promise<Reply> {
    if (this.#innerReplies.isInnerFailure(thrown)) {
      if (this.#hasChangedRequest) this.step.effect = 'changed-request';
    } else if (isRejection(thrown)) this.step.effect = 'rejected';
    else return this.#continueWithout(thrown);
    this.#innerReplies.discardAllExcept(undefined);
    throw thrown;
  }

  /**
   * Continues as if the module weren't there, unless it must not be skipped, or has read the reply, which can't be
   * undone.
   */
  async #continueWithout(fault: unknown): Promise<Reply> {
    const replies = this.#innerReplies;
    this.#recordFault(fault);
    if (replies.isEmpty && replies.firstFailure !== undefined) throw replies.firstFailure;
    const unread = replies.findUnread();
    const canSkip = this.module.ifBroken === 'skip' && (unread !== undefined || replies.isEmpty);
    replies.discardAllExcept(canSkip ? unread : undefined);
    if (!canSkip) throw moduleBrokenError(this.module, fault);
    // The module may still be running, and must not interfere with the reply that others read now.
    return unread === undefined ? this.#next(this.exchange) : replyOwnership.revoke(unread);
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopwatch.stop();
    this.step.ownMs = this.#stopwatch.ms;
    this.step.endedAtMs = performance.now();
    this.#innerReplies.end();
    this.#ownReplies.end();
    this.#innerAttempts.moduleEnded();
  }

  /** The module's `next`. */
  readonly next: Handler = (passed) => ignoreErrors(this.#callNext(passed));

  async #callNext(passed: Exchange): Promise<Reply> {
    if (this.#stopwatch.expired)
      throw new Error('the module exceeded its deadline; the call continued without it');
    if (this.#isEnded) throw new Error('next() was called after the call ended');
    checkTouches(this.module, this.exchange, passed);
    const { goesOn, prefix } = this.#guardPrefix(passed);
    if (!asksTheSame(goesOn, this.exchange)) this.#hasChangedRequest = true;
    if (redacts(this.module)) goesOn.trace.recorder?.onRedacted(goesOn);
    this.checkAttemptLimit();
    const requestOrigin = requestOriginOf(this.exchange);
    const askedBy = ++this.#nextCalls > 1 ? this.module.name : requestOrigin.askedBy;
    const further = withRequestOrigin(goesOn, { ...requestOrigin, observer: this, askedBy, prefix });
    try {
      return this.#takeInnerReply(await this.awaitInner(this.#next(further)));
    } catch (failure) {
      this.#innerReplies.addFailure(failure);
      throw failure;
    }
  }

  /** Preserves the cached prefix of the conversation, unless the module may change it. */
  #guardPrefix(outgoing: Exchange): { readonly goesOn: Exchange; readonly prefix?: Prefix } {
    const { module, exchange: incoming, step } = this;
    const { prefix } = requestOriginOf(incoming);
    if (prefix === undefined) return { goesOn: outgoing };
    return prefix.guardEdit({
      module: module.name,
      incoming,
      outgoing,
      step,
      allowed: this.#allowedRequest,
      isRedaction: redacts(module),
    });
  }

  /** After the module has returned its reply, it must read further replies at once; otherwise they are discarded. */
  #takeInnerReply(reply: Reply): Reply {
    if (this.#isEnded || this.#stopwatch.expired) {
      discardReply(reply);
      throw new Error('the reply arrived after the call had continued without it');
    }
    this.#innerReplies.add(reply);
    replyOwnership.setHolder(reply, this);
    if (this.#hasHandled) setImmediate(() => reply.consumed || discardReply(reply));
    return reply;
  }

  /** The reply to a call of the module's own, which is discarded unless the module reads or returns it. */
  takeOwnReply(reply: Reply): Reply {
    this.#ownReplies.add(reply);
    if (this.#hasHandled) setImmediate(() => reply.consumed || discardReply(reply));
    return reply;
  }

  /** The module's view of the prefix. */
  get prefix(): PrefixKit {
    const { module, exchange, step } = this;
    const { prefix } = requestOriginOf(exchange);
    return createPrefixKit({ exchange, module: module.name, step }, prefix, (edited) => {
      this.#allowedRequest = edited;
    });
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

  runTimed<Done>(task: () => Promise<Done>): Promise<Done> {
    return this.#stopwatch.run(task);
  }

  awaitInner<Done>(inner: Promise<Done>): Promise<Done> {
    return this.#stopwatch.pauseDuring(inner);
  }

  awaitFinal<Done>(work: Promise<Done>): Promise<Done> {
    const ms = this.#deadlineMs;
    const failure = () =>
      new Error(`the module exceeded its deadline of ${ms / 1000} s at the end of the reply`);
    return withTimeout(work, ms, failure);
  }

  handleFault(fault: unknown, mayGoOn: boolean): unknown {
    if (fault === this.#reportedFailure || this.#innerReplies.isInnerFailure(fault)) return fault;
    if (isRejection(fault)) {
      this.step.effect = 'rejected';
      return fault;
    }
    this.#recordFault(fault);
    if (mayGoOn && this.module.ifBroken === 'skip') return undefined;
    this.#reportedFailure = moduleBrokenError(this.module, fault);
    return this.#reportedFailure;
  }

  #recordFault(fault: unknown): void {
    this.step.effect = 'broken';
    this.step.fault ??= fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  }
}

/** Turns a synchronous throw into a rejection. */
function startHandler(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return Promise.resolve(handle());
  } catch (fault) {
    return Promise.reject(fault);
  }
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

/** Whether two exchanges have the same target and request. */
function asksTheSame(one: Exchange, other: Exchange): boolean {
  if (one.relay !== other.relay) return false;
  if (one.target !== other.target || one.isUnmodified !== other.isUnmodified) return false;
  return one.isUnmodified || one.request === other.request;
}
