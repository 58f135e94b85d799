import { billOf, usageOf } from '../kernel/attempt.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { Exchange } from '../kernel/exchange.ts';
import type { Answer, Usage } from '../kernel/message.ts';
import type { Handler } from '../kernel/module.ts';
import type { Bill } from '../kernel/money.ts';
import { type Listed, OpenList } from '../kernel/open-list.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { holderOf } from '../kernel/ports/purse.ts';
import { type Ending, endingOf } from '../kernel/reply/ending.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import { MeteredAttempt } from './attempt.ts';
import type { Continuing } from './continuing.ts';
import { Meter } from './meter.ts';
import type { CallReports } from './reports.ts';
import type { Counted } from './turnstile.ts';

export interface PassageParts {
  /** Meters whatever it answers. */
  readonly upstream: Handler;
  readonly continuing: Continuing;
  readonly usage: { record(call: CountedCall, atMs: number): void };
  readonly reports: Pick<CallReports, 'add'>;
  readonly clock: Clock;
}

/** A call as it counts; what it used is told attempt by attempt. */
interface CountedCall {
  readonly accountId: string;
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly failed: boolean;
  readonly periodStartMs: number | undefined;
  /** Of an answer that no provider was asked for. */
  readonly usage?: Usage;
}

/** The way of a call through its pipeline, which can't be configured away: metered, counted and told of, however it ends. */
export class Passage {
  readonly #parts: PassageParts;
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
    const underway = new Underway(exchange);
    const settle = (ending: Ending) => this.#settle(underway, { pipeline, counted, ending });
    try {
      const reply = await continuing.run(exchange, pipeline, upstream);
      exchange.trace.begun(performance.now());
      underway.begin(reply);
      reply.onEnd(settle);
      return underway;
    } catch (error) {
      exchange.trace.begun(performance.now());
      // A client that left gets no answer, but the call has failed all the same.
      settle({ how: 'failed', error });
      throw error;
    }
  }

  /** A module's own call, which counts against nothing but money. */
  async alone(exchange: Exchange, upstream: Handler): Promise<Answer> {
    const { trace } = exchange;
    const { askedBy } = Exchange.inside.asking(exchange);
    const underway = new Underway(exchange);
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
      this.#report(underway, { ending, pipeline: '', askedBy });
    }
  }

  /** Gives up what modules still read. */
  async close(): Promise<void> {
    await Promise.all(this.#lingering.snapshot().map((underway) => underway.giveUp()));
  }

  /** What decides about further calls is told at once, what is only told about this one soon. */
  #settle(underway: Underway, { pipeline, counted, ending }: Settled): void {
    const { usage, clock } = this.#parts;
    const { exchange } = underway;
    const { trace, caller } = exchange;
    const answered = ending.how !== 'failed' || underway.hasBegunToArrive;
    const target = trace.answeredBy ?? exchange.target;
    if (answered) counted.used();
    else counted.unused();
    // In the same breath: a count that is begun between the two would miss the call.
    usage.record(
      {
        ...holderOf(caller),
        provider: target.provider.name,
        model: target.model,
        failed: !answered,
        periodStartMs: answered ? counted.periodStartMs : undefined,
        ...(trace.attempts.length === 0 && { usage: underway.usage }),
      },
      clock.now(),
    );
    this.#report(underway, { ending, pipeline: pipeline.text });
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

/** A call with its answer on the way, and what is known of it; figures are final once it has ended. */
export class Underway implements Listed {
  readonly exchange: Exchange;
  place = -1;
  #reply: Reply | undefined;
  #meter = new Meter();
  #sentStatus: number | undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** The answer as the client gets it is read once more where it isn't a provider's own. */
  begin(reply: Reply): void {
    this.#reply = reply;
    const [last] = this.exchange.trace.attempts.slice(-1);
    if (last instanceof MeteredAttempt && last.isAnsweredBy(reply)) this.#meter = last.meter;
    else reply.tap((event) => this.#meter.look(event), 'milestones');
  }

  get reply(): Reply {
    if (this.#reply === undefined) throw new Error('there is no answer yet');
    return this.#reply;
  }

  /** What the answer says about itself. */
  get meter(): Meter {
    return this.#meter;
  }

  /** What providers counted; where none was asked, what the answer says. */
  get usage(): Usage {
    const { attempts } = this.exchange.trace;
    return attempts.length === 0 ? this.#meter.usage : usageOf(attempts);
  }

  /** What it cost; undefined where nobody knows. An answer that no provider was asked for costs nothing. */
  get bill(): Bill | undefined {
    const { attempts } = this.exchange.trace;
    return attempts.length === 0 ? nothing : billOf(attempts);
  }

  get faults(): readonly unknown[] {
    return this.#reply?.faults ?? [];
  }

  /** The client has the head of its answer. */
  sent(status: number): void {
    this.#sentStatus = status;
  }

  get hasBegunToArrive(): boolean {
    return this.#sentStatus !== undefined;
  }

  /** The status that the client gets. */
  statusAt(ending: Ending): number {
    if (this.#sentStatus !== undefined) return this.#sentStatus;
    if (ending.how === 'aborted') return clientGoneStatus;
    if (ending.how === 'complete') return this.reply.status;
    return GatewayError.is(ending.error) ? ending.error.status : 500;
  }

  async giveUp(): Promise<void> {
    for (const attempt of this.exchange.trace.attempts)
      if (attempt instanceof MeteredAttempt && attempt.ending === undefined) await attempt.giveUp();
  }
}

const nothing: Bill = { nanoUsd: 0, estimated: false };

/** Nobody is told: the client has left. */
const clientGoneStatus = 499;
