import { GatewayError } from '../kernel/errors.ts';
import type { Exchange, Received } from '../kernel/exchange.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { Ending } from '../kernel/reply/reply.ts';
import type { Bill, Catalog } from '../providers/catalog/catalog.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';
import type { Known } from './callers.ts';
import type { Meter } from './meter.ts';

export interface CallReportsParts {
  readonly catalog: Catalog;
  readonly metrics: Metrics;
  /** Undefined where calls are not remembered. */
  readonly requests: RequestRecorder | undefined;
  readonly log: Log;
}

/** A call that was made, with all that is known of it at its end. */
export interface EndedCall {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
  readonly known: Known;
  readonly meter: Meter;
  readonly bill: Bill | undefined;
  readonly status: number;
  readonly ending: Ending;
  readonly faults: readonly unknown[];
  /** From its first byte to its last. */
  readonly ms: number;
}

/** A call of somebody known that was refused before it could be made. */
export interface TurnedAway {
  readonly id: string;
  readonly known: Known;
  readonly received: Received;
  readonly startedAtMs: number;
  readonly error: GatewayError;
}

/**
 * Tells metrics, request log and log of calls that have ended. Those of one turn of the event loop are told one after the
 * other, since what the processor has just done costs it a fraction the next time.
 */
export class CallReports {
  readonly #parts: CallReportsParts;
  #waiting: EndedCall[] = [];

  constructor(parts: CallReportsParts) {
    this.#parts = parts;
  }

  add(call: EndedCall): void {
    // Before the next request is read, so that who asks after a call finds it.
    if (this.#waiting.push(call) === 1) process.nextTick(() => this.flush());
  }

  /** Tells of those that wait. */
  flush(): void {
    const calls = this.#waiting;
    this.#waiting = [];
    for (const call of calls) {
      try {
        this.#report(call);
      } catch (err) {
        this.#parts.log.error({ id: call.exchange.id, err }, 'bug');
      }
    }
  }

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

  #report(call: EndedCall): void {
    const { metrics, requests, log } = this.#parts;
    const { exchange, known, meter, bill, status, ending, ms } = call;
    const cost = bill?.nanoUsd;
    const { trace, received } = exchange;
    const target = trace.answeredBy ?? exchange.target;
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
      accountId: known.accountId,
      keyId: known.key?.keyId,
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

  /** What an answer from a cache would have cost. */
  #saved({ trace, target }: Exchange, { usage, model }: Meter): NanoUsd {
    if (trace.answeredBy !== undefined || trace.cacheHeader() !== 'hit') return 0;
    return this.#parts.catalog.bill({ ...target, answered: model }, usage)?.nanoUsd ?? 0;
  }
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
