import type { UsageRecorder } from '../billing/usage-recorder.ts';
import type { Clock } from '../kernel/clock.ts';
import { askingOf, type Exchange } from '../kernel/exchange.ts';
import type { Answer } from '../kernel/message.ts';
import type { Handler } from '../kernel/module.ts';
import { OpenList } from '../kernel/open-list.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { holderOf } from '../kernel/ports/purse.ts';
import { type Ending, endingOf } from '../kernel/reply/ending.ts';
import { custody } from '../kernel/reply/reply.ts';
import type { Continuing } from './continuing.ts';
import type { CallReports } from './reports.ts';
import type { Settling } from './settling.ts';
import type { Counted } from './turnstile.ts';
import { Underway } from './underway.ts';

export interface PassageParts {
  /** Meters whatever it answers. */
  readonly upstream: Handler;
  readonly continuing: Continuing;
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly reports: Pick<CallReports, 'add'>;
  readonly clock: Clock;
  readonly settling: Settling;
}

/** The way of a call through its pipeline, which can't be configured away: metered, counted and told of, however it ends. */
export class Passage {
  readonly #parts: PassageParts;
  readonly #open = new OpenList<Underway>();
  readonly #lingering = new OpenList<Underway>();

  constructor(parts: PassageParts) {
    this.#parts = parts;
  }

  /** Calls that are over for their clients, while modules still read something. */
  get lingering(): number {
    return this.#lingering.size;
  }

  async run(exchange: Exchange, pipeline: Pipeline, counted: Counted): Promise<Underway> {
    const { continuing, upstream } = this.#parts;
    const underway = new Underway(exchange, (ending) =>
      this.#settle(underway, { pipeline, counted, ending }),
    );
    this.#open.add(underway);
    const letGo = exchange.received.keep();
    if (letGo !== undefined) exchange.trace.afterwards(letGo);
    try {
      const reply = custody.release(await continuing.run(exchange, pipeline, upstream));
      exchange.trace.delivers(reply);
      exchange.trace.begun(performance.now());
      underway.begin(reply);
      reply.onEnd((ending) => underway.end(ending));
      return underway;
    } catch (error) {
      exchange.trace.begun(performance.now());
      // A client that left gets no answer, but the call has failed all the same.
      underway.end({ how: 'failed', error });
      throw error;
    }
  }

  /** A module's own call, which counts against nothing but money. */
  async alone(exchange: Exchange, upstream: Handler): Promise<Answer> {
    const { trace } = exchange;
    const { askedBy } = askingOf(exchange);
    const underway = new Underway(exchange, () => undefined);
    let ending: Ending = { how: 'complete' };
    try {
      const reply = await upstream(exchange);
      trace.begun(performance.now());
      underway.begin(reply);
      return await reply.answer();
    } catch (error) {
      ending = endingOf(error);
      throw error;
    } finally {
      const told = { ending, pipeline: '', askedBy };
      this.#parts.settling.part('report', exchange.id, () => this.#report(underway, told));
    }
  }

  /** Settles what is still open, whatever modules wait for, and gives up what they still read. */
  async close(): Promise<void> {
    for (const underway of this.#open.snapshot()) underway.giveUp();
    for (const underway of this.#open.snapshot()) underway.end({ how: 'aborted' });
    for (const underway of this.#lingering.snapshot()) underway.giveUp();
  }

  /** What decides about further calls is told at once, what is only told about this one soon. */
  #settle(underway: Underway, { pipeline, counted, ending }: Settled): void {
    const { usage, clock, settling } = this.#parts;
    const { exchange, answered } = underway;
    const { id, trace, caller } = exchange;
    this.#open.delete(underway);
    const target = trace.answeredBy ?? exchange.target;
    const { accountId, keyId } = holderOf(caller);
    settling.part('quota', id, () => (answered ? counted.used() : counted.unused()));
    // In the same breath: a count that is begun between the two would miss the call.
    settling.part('usage', id, () =>
      usage.record(
        {
          accountId,
          keyId,
          provider: target.provider.name,
          model: target.model,
          failed: !answered,
          periodStartMs: answered ? counted.periodStartMs : undefined,
          paidPast: counted.paidPast,
          usage: trace.attempts.length === 0 ? underway.usage : undefined,
        },
        clock.now(),
      ),
    );
    settling.part('report', id, () => this.#report(underway, { ending, pipeline: pipeline.text }));
  }

  /** Once everything is over that providers were asked for: a module may go on reading when the client has its answer. */
  #report(
    underway: Underway,
    told: { ending: Ending; pipeline: string; askedBy?: string | undefined },
  ): void {
    const { exchange } = underway;
    const { trace } = exchange;
    const ms = performance.now() - trace.startedAtMs;
    const status = underway.statusAt(told.ending);
    let hasWaited = false;
    trace.whenQuiet(() => {
      if (hasWaited) this.#lingering.delete(underway);
      this.#parts.reports.add({ ...told, underway, status, ms });
      trace.over();
    });
    if (trace.isOver) return;
    hasWaited = true;
    this.#lingering.add(underway);
  }
}

interface Settled {
  readonly pipeline: Pipeline;
  readonly counted: Counted;
  readonly ending: Ending;
}
