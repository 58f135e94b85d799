import type { UsageRecorder } from '../billing/usage-recorder.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { Ending, Reply } from '../kernel/reply/reply.ts';
import type { Bill, Catalog } from '../providers/catalog/catalog.ts';
import { Meter } from './meter.ts';
import type { CallReports, EndedCall } from './reports.ts';
import type { Counted } from './turnstile.ts';

export interface PassageParts {
  readonly upstream: Handler;
  readonly catalog: Catalog;
  readonly usage: UsageRecorder;
  readonly reports: CallReports;
  readonly clock: Clock;
}

/** An answer with what is known about it; the figures are final once it has ended. */
export interface Underway {
  readonly reply: Reply;
  readonly meter: Meter;
  /** What it cost; undefined where nobody knows. */
  bill(): Bill | undefined;
}

/** What wraps every pipeline and can't be configured away: quota, metering, metrics and the log, for every ending. */
export class Passage {
  readonly #parts: PassageParts;

  constructor(parts: PassageParts) {
    this.#parts = parts;
  }

  async run(exchange: Exchange, pipeline: Pipeline, counted: Counted): Promise<Underway> {
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
        const { status, faults } = reply;
        this.#settle({ exchange, pipeline, meter, bill: final, status, ending, faults }, counted, answered);
      });
      return { reply, meter, bill };
    } catch (error) {
      exchange.trace.begun(performance.now());
      const status = GatewayError.is(error) ? error.status : 500;
      const ending: Ending = { how: 'failed', error };
      this.#settle(
        { exchange, pipeline, meter, bill: undefined, status, ending, faults: [] },
        counted,
        false,
      );
      throw error;
    }
  }

  /** An answer that no provider was asked for costs nothing. */
  #bill({ trace }: Exchange, { usage, model, estimated }: Meter): Bill | undefined {
    const { answeredBy } = trace;
    if (answeredBy === undefined) return nothing;
    const bill = this.#parts.catalog.bill({ ...answeredBy, answered: model }, usage);
    return bill !== undefined && estimated ? { ...bill, estimated } : bill;
  }

  /** What decides about further calls is told at once, what is only told about this one soon. */
  #settle(call: Ended, counted: Counted, answered: boolean): void {
    const { usage, reports, clock } = this.#parts;
    const { exchange, meter, bill } = call;
    const { known } = counted;
    const target = exchange.trace.answeredBy ?? exchange.target;
    if (answered) counted.used();
    else counted.unused();
    // In the same breath: a count that is begun between the two would miss the call.
    usage.record(
      {
        accountId: known.accountId,
        keyId: known.key?.keyId ?? '',
        provider: target.provider.name,
        model: target.model,
        failed: !answered,
        periodStartMs: answered ? counted.periodStartMs : undefined,
        usage: meter.usage,
        costNanoUsd: bill?.nanoUsd,
      },
      clock.now(),
    );
    reports.add({ ...call, known, ms: performance.now() - exchange.trace.startedAtMs });
  }
}

type Ended = Omit<EndedCall, 'known' | 'ms'>;

const nothing: Bill = { nanoUsd: 0, estimated: false };

/** A stream that breaks was answered until then; of an unstreamed answer that breaks the client gets nothing. */
function isAnswered({ how }: Ending, { received }: Exchange): boolean {
  return how !== 'failed' || received.streamed;
}
