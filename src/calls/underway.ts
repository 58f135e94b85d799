import { billOf, usageOf } from '../kernel/attempt.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Usage } from '../kernel/message.ts';
import type { Bill } from '../kernel/money.ts';
import type { Listed } from '../kernel/open-list.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import { MeteredAttempt } from './attempt.ts';
import { Meter } from './meter.ts';

/** A call with its answer on the way, and what is known of it; figures are final once it has ended. */
export class Underway implements Listed {
  readonly exchange: Exchange;
  place = -1;
  #reply: Reply | undefined;
  #meter: Meter | undefined;
  #sentStatus: number | undefined;

  readonly #settle: (ending: Ending) => void;
  #ending: Ending | undefined;
  #answered = false;

  constructor(exchange: Exchange, settle: (ending: Ending) => void) {
    this.exchange = exchange;
    this.#settle = settle;
  }

  /** Once, however often it is told. */
  end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#answered = ending.how !== 'failed' || this.hasBegunToArrive;
    this.#settle(ending);
  }

  /** Undefined while it goes on. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Whether it has ended as a call that counts. */
  get answered(): boolean {
    return this.#answered;
  }

  /** The answer as the client gets it is read once more where it isn't a provider's own. */
  begin(reply: Reply): void {
    this.#reply = reply;
    const last = this.exchange.trace.attempts.at(-1);
    if (last instanceof MeteredAttempt && last.isAnsweredBy(reply)) this.#meter = last.meter;
    else reply.tap((event) => this.meter.look(event), 'milestones');
  }

  get reply(): Reply {
    if (this.#reply === undefined) throw new Error('there is no answer yet');
    return this.#reply;
  }

  /** What the answer says about itself. */
  get meter(): Meter {
    this.#meter ??= new Meter();
    return this.#meter;
  }

  /** What providers counted; where none was asked, what the answer says. */
  get usage(): Usage {
    const { attempts } = this.exchange.trace;
    return attempts.length === 0 ? this.meter.usage : usageOf(attempts);
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

  /** Its answer, and every other that was asked for in it. */
  giveUp(): void {
    void this.#reply?.discard();
    for (const attempt of this.exchange.trace.attempts)
      if (attempt instanceof MeteredAttempt && attempt.ending === undefined) attempt.giveUp();
  }
}

const nothing: Bill = { nanoUsd: 0, estimated: false };

/** Nobody is told: the client has left. */
const clientGoneStatus = 499;
