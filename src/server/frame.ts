import type { UsageRecorder } from '../billing/usage-recorder.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange, Received } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { Ending, Reply } from '../kernel/reply.ts';
import type { Bill, Catalog } from '../providers/catalog/catalog.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';
import type { Known } from './callers.ts';
import { Meter } from './meter.ts';
import type { Counted } from './turnstile.ts';

export interface FrameParts {
  readonly upstream: Handler;
  readonly catalog: Catalog;
  readonly metrics: Metrics;
  readonly usage: UsageRecorder;
  /** Undefined where calls are not remembered. */
  readonly requests: RequestRecorder | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** An answer with what is known about it; the figures are final once it has ended. */
export interface Framed {
  readonly reply: Reply;
  readonly meter: Meter;
  /** What it cost; undefined where nobody knows. */
  bill(): Bill | undefined;
}

/** What wraps every pipeline and can't be configured away: quota, metering, metrics and the log, for every ending. */
export class Frame {
  readonly #parts: FrameParts;

  constructor(parts: FrameParts) {
    this.#parts = parts;
  }

  async run(exchange: Exchange, pipeline: Pipeline, counted: Counted): Promise<Framed> {
    const meter = new Meter();
    let final: Bill | undefined;
    const bill = () => final ?? this.#bill(exchange, meter);
    try {
      const reply = await pipeline.run(exchange, this.#parts.upstream);
      exchange.trace.begun(performance.now());
      reply.tap((event) => meter.look(event), 'milestones');
      reply.onEnd((ending) => {
        const answered = isAnswered(ending, exchange);
        const { answeredBy: target } = exchange.trace;
        if (answered && target !== undefined)
          meter.close({ ending, received: exchange.received, target, unread: reply.unread });
        final = bill();
        this.#settle({
          exchange,
          pipeline,
          counted,
          meter,
          bill: final,
          status: reply.status,
          ending,
          answered,
          faults: reply.faults,
        });
      });
      return { reply, meter, bill };
    } catch (error) {
      exchange.trace.begun(performance.now());
      const status = GatewayError.is(error) ? error.status : 500;
      this.#settle({
        exchange,
        pipeline,
        counted,
        meter,
        bill: undefined,
        status,
        ending: { how: 'failed', error },
        answered: false,
        faults: [],
      });
      throw error;
    }
  }

  /** A call of somebody known that was refused before it could be made. */
  turnedAway({ id, known, received, startedAtMs, error }: TurnedAway): void {
    const { model } = received.body;
    this.#parts.requests?.record({
      id,
      accountId: known.accountId,
      keyId: known.key?.keyId,
      modelAsked: typeof model === 'string' ? model : '',
      modelUsed: undefined,
      provider: undefined,
      wire: received.wire.name,
      providerWire: undefined,
      streamed: received.streamed,
      status: error.status,
      ending: 'failed',
      errorCode: error.code,
      usage: {},
      costNanoUsd: 0,
      costEstimated: false,
      savedNanoUsd: 0,
      contentMs: undefined,
      totalMs: performance.now() - startedAtMs,
      overheadMs: performance.now() - startedAtMs,
      pipeline: '',
      steps: [],
    });
  }

  /** An answer that no provider was asked for costs nothing. */
  #bill({ trace }: Exchange, { usage, model, estimated }: Meter): Bill | undefined {
    const { answeredBy } = trace;
    if (answeredBy === undefined) return nothing;
    const bill = this.#parts.catalog.bill({ ...answeredBy, answered: model }, usage);
    return bill !== undefined && estimated ? { ...bill, estimated } : bill;
  }

  /** What an answer from a cache would have cost. */
  #saved({ trace, target }: Exchange, { usage, model }: Meter): NanoUsd {
    if (trace.answeredBy !== undefined || trace.cacheHeader() !== 'hit') return 0;
    return this.#parts.catalog.bill({ ...target, answered: model }, usage)?.nanoUsd ?? 0;
  }

  #settle(call: Settled): void {
    const { metrics, usage, requests, clock, log } = this.#parts;
    const { exchange, counted, meter, bill, status, ending, answered } = call;
    const cost = bill?.nanoUsd;
    const { trace, received } = exchange;
    const target = trace.answeredBy ?? exchange.target;
    if (answered) counted.used();
    else counted.unused();
    // In the same breath: a count that is begun between the two would miss the call.
    usage.record(
      {
        accountId: counted.known.accountId,
        keyId: counted.known.key?.keyId ?? '',
        provider: target.provider.name,
        model: target.model,
        failed: !answered,
        periodStartMs: answered ? counted.periodStartMs : undefined,
        usage: meter.usage,
        costNanoUsd: cost,
      },
      clock.now(),
    );
    const ms = performance.now() - trace.startedAtMs;
    const contentMs =
      meter.firstContentAtMs === undefined ? undefined : meter.firstContentAtMs - trace.startedAtMs;
    metrics.record({
      wire: received.wire.name,
      provider: target.provider.name,
      model: target.model,
      status,
      seconds: ms / 1000,
      secondsToContent: contentMs === undefined ? undefined : contentMs / 1000,
      usage: meter.usage,
      cost,
      steps: trace.steps,
    });
    const error = ending.how === 'failed' ? reason(ending) : undefined;
    requests?.record({
      id: exchange.id,
      accountId: counted.known.accountId,
      keyId: counted.known.key?.keyId,
      modelAsked: String(received.body.model),
      modelUsed: target.model,
      provider: target.provider.name,
      wire: received.wire.name,
      providerWire: trace.askedIn,
      streamed: received.streamed,
      status,
      ending: ending.how,
      errorCode: error?.code,
      usage: meter.usage,
      costNanoUsd: cost,
      costEstimated: bill?.estimated === true,
      savedNanoUsd: this.#saved(exchange, meter),
      contentMs,
      totalMs: ms,
      overheadMs: trace.overheadMs,
      pipeline: call.pipeline.text,
      steps: trace.steps,
    });
    for (const step of trace.steps)
      if (step.fault !== undefined)
        log.error({ id: exchange.id, module: step.module, fault: step.fault }, 'module broken');
    for (const fault of call.faults) log.error({ id: exchange.id, err: fault }, 'a look at a reply failed');
    if (!log.logsCalls) return;
    log.call({
      id: exchange.id,
      wire: received.wire.name,
      provider: target.provider.name,
      model: target.model,
      status,
      ending: ending.how,
      error: error?.text,
      ms: round(ms),
      contentMs: contentMs === undefined ? undefined : round(contentMs),
      overheadMs: round(trace.overheadMs),
      usage: meter.usage,
      costNanoUsd: cost,
      estimated: meter.estimated || bill?.estimated === true,
      stop: meter.stopReason,
      steps: trace.steps,
    });
  }
}

interface TurnedAway {
  readonly id: string;
  readonly known: Known;
  readonly received: Received;
  readonly startedAtMs: number;
  readonly error: GatewayError;
}

interface Settled {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
  readonly counted: Counted;
  readonly meter: Meter;
  readonly bill: Bill | undefined;
  readonly status: number;
  readonly ending: Ending;
  readonly answered: boolean;
  readonly faults: readonly unknown[];
}

const nothing: Bill = { nanoUsd: 0, estimated: false };

/** A stream that breaks was answered until then; of an unstreamed answer that breaks the client gets nothing. */
function isAnswered({ how }: Ending, { received }: Exchange): boolean {
  return how !== 'failed' || received.streamed;
}

/** The code where there is one: messages may quote what a client sent. */
function reason({ error }: { readonly error: unknown }): { readonly code: string; readonly text: string } {
  if (GatewayError.is(error)) return { code: error.code, text: error.code };
  const text = error instanceof Error ? (error.stack ?? error.name) : 'unknown';
  return { code: 'internal', text };
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
