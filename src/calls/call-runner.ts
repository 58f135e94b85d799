import type { UsageRecorder } from '../billing/usage-recorder.ts';
import { runInAirgap } from '../egress/airgapped-calls.ts';
import type { ClientRequest } from '../kernel/client-request.ts';
import { type Exchange, requestOriginOf } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { budgetHolderOf } from '../kernel/ports/budget.ts';
import { isResolved } from '../kernel/provider.ts';
import { type Ending, endingOf, isWithdrawal } from '../kernel/reply/ending.ts';
import { type Reply, replyOwnership } from '../kernel/reply/reply.ts';
import type { CallSpan } from '../kernel/trace.ts';
import type { Clock } from '../lib/clock.ts';
import { IntrusiveList } from '../lib/intrusive-list.ts';
import type { CallReports } from './call-reports.ts';
import type { CallSettlement } from './call-settlement.ts';
import type { CountedCall } from './caller-admission.ts';
import type { Continuations } from './continuations.ts';
import { InFlightCall } from './in-flight-call.ts';
import type { TargetChecks } from './target-checks.ts';

export interface CallRunnerParts {
  /** The metered upstream. */
  readonly upstream: Handler;
  readonly targets: TargetChecks;
  readonly continuations: Continuations;
  readonly usage: Pick<UsageRecorder, 'recordCall' | 'recordModule'>;
  readonly reports: Pick<CallReports, 'add'>;
  readonly clock: Clock;
  readonly settlement: CallSettlement;
  /** Starts the span of a call; undefined if its spans are not exported. */
  startSpan?(clientRequest: ClientRequest): CallSpan | undefined;
  /** Whether the operator keeps all calls in an airgap. */
  readonly isAirgapped?: boolean;
  /** Whether the savings report lists a module, so that its calls are counted. */
  isReported(module: string): boolean;
}

/** Runs a call through its pipeline. Metering, counting and reporting happen however the call ends. */
export class CallRunner {
  readonly #parts: CallRunnerParts;
  readonly #openCalls = new IntrusiveList<InFlightCall>();
  readonly #lingering = new IntrusiveList<InFlightCall>();
  /** For pipelines that may reroute a call, whose target admission doesn't check. */
  readonly #checkingUpstream: Handler;

  constructor(parts: CallRunnerParts) {
    this.#parts = parts;
    this.#checkingUpstream = parts.targets.before(parts.upstream);
  }

  /** Calls that have ended for their clients while modules still read a reply. */
  get lingering(): number {
    return this.#lingering.size;
  }

  /** `relayUpstream` replaces the provider of canonical requests. */
  async run(
    exchange: Exchange,
    pipeline: Pipeline,
    countedCall: CountedCall,
    relayUpstream?: Handler,
  ): Promise<InFlightCall> {
    const { continuations } = this.#parts;
    const { trace } = exchange;
    if (pipeline.isAirgapped) trace.keepInside('call');
    else if (this.#parts.isAirgapped === true) trace.keepInside('instance');
    trace.span = this.#parts.startSpan?.(exchange.clientRequest);
    const upstream = relayUpstream ?? (pipeline.mayReroute ? this.#checkingUpstream : this.#parts.upstream);
    const inFlightCall = new InFlightCall(exchange, (ending) =>
      this.#settle(inFlightCall, { pipeline, countedCall, ending }),
    );
    this.#openCalls.add(inFlightCall);
    const letGo = exchange.clientRequest.retain();
    if (letGo !== undefined) trace.onEnd(letGo);
    const run = () => continuations.run(exchange, pipeline, upstream);
    try {
      const reply = replyOwnership.clearHolder(
        await (trace.isAirgapped ? runInAirgap(trace.egress, run) : run()),
      );
      trace.setDelivered(reply);
      trace.replyStarted(performance.now());
      inFlightCall.setReply(reply);
      reply.onEnd((ending) => inFlightCall.end(ending));
      return inFlightCall;
    } catch (error) {
      trace.replyStarted(performance.now());
      // The call failed even if the client has left and gets no answer.
      inFlightCall.end({ how: 'failed', error });
      throw error;
    }
  }

  /** Runs a module's own call, which costs money but uses no quota. */
  async runModuleCall(exchange: Exchange, upstream: Handler): Promise<Reply> {
    const { askedBy } = requestOriginOf(exchange);
    exchange.trace.span = this.#parts.startSpan?.(exchange.clientRequest);
    const inFlightCall = new InFlightCall(exchange, (ending) =>
      this.#parts.settlement.runPart('report', exchange.id, () =>
        this.#report(inFlightCall, { ending, pipeline: '', askedBy }),
      ),
    );
    try {
      const reply = await upstream(exchange);
      exchange.trace.replyStarted(performance.now());
      inFlightCall.setReply(reply);
      return reply.onEnd((ending) => inFlightCall.end(ending));
    } catch (error) {
      inFlightCall.end(endingOf(error));
      throw error;
    }
  }

  /** Ends all open calls without waiting for modules, and aborts the replies that modules still read. */
  async close(): Promise<void> {
    for (const inFlightCall of this.#openCalls.snapshot()) inFlightCall.abort();
    for (const inFlightCall of this.#openCalls.snapshot()) inFlightCall.end({ how: 'aborted' });
    for (const inFlightCall of this.#lingering.snapshot()) inFlightCall.abort();
  }

  /** Updates quota and usage at once, since further calls depend on them; reports the call later. */
  #settle(inFlightCall: InFlightCall, { pipeline, countedCall, ending }: CallOutcome): void {
    const { usage, clock, settlement, isReported } = this.#parts;
    const { exchange, answered } = inFlightCall;
    const { id, trace, caller } = exchange;
    this.#openCalls.delete(inFlightCall);
    if (isWithdrawal(ending)) {
      settlement.runPart('quota', id, () => (countedCall.withdraw ?? countedCall.release).call(countedCall));
      settlement.runPart('trace', id, () => trace.end());
      return;
    }
    const target = trace.answeredBy ?? exchange.target;
    const { accountId, keyId } = budgetHolderOf(caller);
    settlement.runPart('quota', id, () => (answered ? countedCall.commit() : countedCall.release()));
    // In the same tick: a count that starts between the two would miss the call. A failed call to a model that nobody
    // knows is no use of a model.
    if (answered || isResolved(target))
      settlement.runPart('usage', id, () =>
        usage.recordCall(
          {
            accountId,
            keyId,
            provider: target.provider.name,
            model: target.model,
            failed: !answered,
            tags: exchange.tags,
            periodStartMs: answered ? countedCall.periodStartMs : undefined,
            paidPast: countedCall.paidPast,
            usage: trace.attempts.length === 0 ? inFlightCall.usage : undefined,
          },
          clock.now(),
        ),
      );
    settlement.runPart('modules', id, () => {
      for (const { module } of trace.steps)
        if (isReported(module)) usage.recordModule({ accountId, module, calls: 1 }, clock.now());
    });
    settlement.runPart('report', id, () => this.#report(inFlightCall, { ending, pipeline: pipeline.text }));
  }

  /** Reports once all attempts have ended: a module may go on reading after the client has its answer. */
  #report(
    call: InFlightCall,
    outcome: { ending: Ending; pipeline: string; askedBy?: string | undefined },
  ): void {
    const { exchange } = call;
    const { trace } = exchange;
    const ms = performance.now() - trace.startedAtMs;
    const status = call.statusFor(outcome.ending);
    let hasWaited = false;
    trace.whenIdle(() => {
      if (hasWaited) this.#lingering.delete(call);
      this.#parts.reports.add({ ...outcome, call, status, ms });
      trace.end();
    });
    if (trace.isEnded) return;
    hasWaited = true;
    this.#lingering.add(call);
  }
}

interface CallOutcome {
  readonly pipeline: Pipeline;
  readonly countedCall: CountedCall;
  readonly ending: Ending;
}
