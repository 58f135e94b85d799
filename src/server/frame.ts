import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { Ending, Reply } from '../kernel/reply.ts';
import type { Catalog } from '../providers/catalog.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Meter } from './meter.ts';

export interface FrameParts {
  readonly upstream: Handler;
  readonly catalog: Catalog;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** An answer with what is known about it; the figures are final once it has ended. */
export interface Framed {
  readonly reply: Reply;
  readonly meter: Meter;
  /** In billionths of a dollar; undefined where the model's price isn't known. */
  cost(): NanoUsd | undefined;
}

/** What wraps every pipeline and can't be configured away: metering, metrics and the log, for every ending. */
export class Frame {
  readonly #parts: FrameParts;

  constructor(parts: FrameParts) {
    this.#parts = parts;
  }

  async run(exchange: Exchange, pipeline: Pipeline): Promise<Framed> {
    const meter = new Meter();
    const cost = () => this.#cost(exchange, meter);
    try {
      const reply = await pipeline.run(exchange, this.#parts.upstream);
      exchange.trace.begun(performance.now());
      reply.tap((event) => meter.look(event), 'milestones');
      reply.onEnd((ending) =>
        this.#settle({ exchange, meter, cost: cost(), status: reply.status, ending, faults: reply.faults }),
      );
      return { reply, meter, cost };
    } catch (error) {
      exchange.trace.begun(performance.now());
      const status = GatewayError.is(error) ? error.status : 500;
      this.#settle({
        exchange,
        meter,
        cost: undefined,
        status,
        ending: { how: 'failed', error },
        faults: [],
      });
      throw error;
    }
  }

  /** An answer that no provider was asked for costs nothing. */
  #cost({ trace }: Exchange, { usage }: Meter): NanoUsd | undefined {
    const { answeredBy } = trace;
    return answeredBy === undefined
      ? 0
      : this.#parts.catalog.cost(answeredBy.provider, answeredBy.model, usage);
  }

  #settle(call: Settled): void {
    const { metrics, log } = this.#parts;
    const { exchange, meter, cost, status, ending } = call;
    const { trace, received } = exchange;
    const target = trace.answeredBy ?? exchange.target;
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
      error: ending.how === 'failed' ? reason(ending) : undefined,
      ms: round(ms),
      contentMs: contentMs === undefined ? undefined : round(contentMs),
      overheadMs: round(trace.overheadMs),
      usage: meter.usage,
      costNanoUsd: cost,
      stop: meter.stopReason,
      steps: trace.steps,
    });
  }
}

interface Settled {
  readonly exchange: Exchange;
  readonly meter: Meter;
  readonly cost: NanoUsd | undefined;
  readonly status: number;
  readonly ending: Ending;
  readonly faults: readonly unknown[];
}

/** The code where there is one: messages may quote what a client sent. */
function reason({ error }: { readonly error: unknown }): string {
  if (GatewayError.is(error)) return error.code;
  return error instanceof Error ? (error.stack ?? error.name) : 'unknown';
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
