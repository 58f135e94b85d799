import type { Attempt, UpstreamAttempt } from '../kernel/attempt.ts';
import { type Exchange, requestOriginOf, usedCredentialOf } from '../kernel/exchange.ts';
import type { Usage } from '../kernel/message.ts';
import type { Handler } from '../kernel/module.ts';
import type { Bill } from '../kernel/money.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { Target } from '../kernel/provider.ts';
import { type Ending, endingOf } from '../kernel/reply/ending.ts';
import { type Reply, replyOwnership } from '../kernel/reply/reply.ts';
import type { Step } from '../kernel/trace.ts';
import { createSpanId } from '../kernel/trace-parent.ts';
import { type BackgroundUsage, isInBackground } from './background-usage.ts';
import { billRelay } from './bill-relay.ts';
import type { CallSettlement } from './call-settlement.ts';
import type { HealthMonitor } from './health/health-monitor.ts';
import { Meter } from './meter.ts';

export interface MeteringParts {
  /** Sends an exchange to its provider, and notes the times of the attempt. */
  upstream(exchange: Exchange, attempt: UpstreamAttempt): Promise<Reply>;
  readonly prices: Pick<Prices, 'bill'>;
  /** Called once for every attempt, when it has ended. */
  onAttemptEnd(attempt: Attempt, exchange: Exchange): void;
  readonly settlement: CallSettlement;
  /** Waits for answers in the background; undefined if nobody does. */
  readonly backgroundUsage?: Pick<BackgroundUsage, 'wait'>;
  /** Records how targets work. */
  readonly health: Pick<HealthMonitor, 'add'>;
}

/** An upstream that meters and bills every attempt, whatever happens to its reply later. */
export function meterAttempts({ upstream, ...parts }: MeteringParts): Handler {
  return async (exchange) => {
    const attempt = new MeteredAttempt(exchange, parts);
    let reply: Reply;
    try {
      reply = await upstream(exchange, attempt);
    } catch (failure) {
      attempt.close(endingOf(failure));
      throw failure;
    }
    return attempt.meterReply(reply);
  };
}

/** One attempt, from the request to its bill. */
export class MeteredAttempt implements Attempt {
  readonly target: Target;
  readonly askedBy: string | undefined;
  readonly isModuleCall: boolean;
  readonly step: Step | undefined;
  readonly meter = new Meter();
  bill: Bill | undefined;
  ending: Ending | undefined;
  readonly startedAtMs = performance.now();
  sentAtMs: number | undefined;
  connectedAtMs: number | undefined;
  headAtMs: number | undefined;
  providerRequestId: string | undefined;
  endedAtMs: number | undefined;
  readonly #exchange: Exchange;
  readonly #parts: Omit<MeteringParts, 'upstream'>;
  #reply: Reply | undefined;
  #spanId: string | undefined;
  /** Set while the provider makes the answer in the background. */
  #waiting: AbortController | undefined;

  constructor(exchange: Exchange, parts: Omit<MeteringParts, 'upstream'>) {
    const { observer, askedBy, isModuleCall } = requestOriginOf(exchange);
    this.target = exchange.target;
    this.askedBy = askedBy;
    this.isModuleCall = isModuleCall;
    this.step = observer?.step;
    this.#exchange = exchange;
    this.#parts = parts;
    exchange.trace.attemptStarted(this);
    for (let module = observer; module !== undefined; module = module.outer) module.attemptStarted(this);
  }

  get usage(): Usage {
    return this.meter.usage;
  }

  get spanId(): string {
    this.#spanId ??= createSpanId();
    return this.#spanId;
  }

  get answerId(): string | undefined {
    return this.meter.answerId;
  }

  get answeredModel(): string | undefined {
    return this.meter.model;
  }

  get stopReason(): string | undefined {
    return this.meter.stopReason;
  }

  get firstContentAtMs(): number | undefined {
    return this.meter.firstContentAtMs;
  }

  /** Whether this reply is the attempt's, unchanged. */
  isAnsweredBy(reply: Reply): boolean {
    return this.#reply === reply;
  }

  produced(reply: Reply): boolean {
    return this.#reply !== undefined && replyOwnership.origin(reply) === replyOwnership.origin(this.#reply);
  }

  meterReply(reply: Reply): Reply {
    this.#reply = reply;
    return reply
      .tap((event) => this.meter.observe(event), 'milestones')
      .onEnd((ending) => this.#replyEnded(ending));
  }

  /** An answer that the provider goes on making in the background is billed when it is complete. */
  #replyEnded(ending: Ending): void {
    this.endedAtMs = performance.now();
    const { answerId = '', hasOutputCount } = this.meter;
    const { backgroundUsage } = this.#parts;
    if (
      backgroundUsage === undefined ||
      hasOutputCount ||
      answerId === '' ||
      !isInBackground(this.#exchange)
    ) {
      this.close(ending);
      return;
    }
    this.#waiting = new AbortController();
    void backgroundUsage.wait(this.#exchange, answerId, this.#waiting.signal).then((events = []) => {
      for (const event of events) this.meter.observe(event);
      this.close(ending);
    });
  }

  /** Aborts the attempt, even while it waits for the reply or a module reads it. */
  abort(): void {
    this.#waiting?.abort();
    if (this.#reply === undefined || this.#waiting !== undefined) this.close({ how: 'aborted' });
    else void this.#reply.discard();
  }

  /** Bills the attempt, however it ended. */
  close(ending: Ending): void {
    if (this.ending !== undefined) return;
    this.endedAtMs ??= performance.now();
    const { id, clientRequest, trace, relay } = this.#exchange;
    const { target, meter } = this;
    const { prices, onAttemptEnd, settlement, health } = this.#parts;
    settlement.runPart('meter', id, () => {
      const unreadContent = this.#reply?.unread ?? noContent;
      meter.close({ ending, clientRequest, relay, target, unread: unreadContent });
    });
    settlement.runPart('bill', id, () => {
      const bill =
        relay === undefined
          ? prices.bill(target, meter.usage, { model: meter.model, refusal: meter.refusal })
          : billRelay(relay, { target, meter, prices });
      this.bill = meter.estimated ? this.#estimatedBill(bill) : bill;
    });
    this.ending = ending;
    settlement.runPart('spent', id, () => onAttemptEnd(this, this.#exchange));
    settlement.runPart('health', id, () =>
      // A change of health alerts the caller's account, which a call in an airgap must not.
      health.add(
        this,
        usedCredentialOf(this.#exchange),
        trace.isAirgapped ? undefined : this.#exchange.caller,
      ),
    );
    settlement.runPart('trace', id, () => trace.attemptEnded());
    const { observer } = requestOriginOf(this.#exchange);
    for (let module = observer; module !== undefined; module = module.outer) {
      const attemptObserver = module;
      settlement.runPart('module', id, () => attemptObserver.attemptEnded());
    }
  }

  /** The unknown rest of an answer in the background may cost all that is held for it. */
  #estimatedBill(bill: Bill | undefined): Bill | undefined {
    const { costBound } = this.#exchange;
    if (costBound !== undefined && isInBackground(this.#exchange))
      return { nanoUsd: Math.max(bill?.nanoUsd ?? 0, costBound), estimated: true };
    return bill && { ...bill, estimated: true };
  }
}

const noContent = { tokens: 0, calls: 0 } as const;
