import { billOf, usageOf } from '../kernel/attempt.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { IntrusiveListItem } from '../kernel/intrusive-list.ts';
import type { Usage } from '../kernel/message.ts';
import type { Bill } from '../kernel/money.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import { Meter } from './meter.ts';
import { MeteredAttempt } from './metered-attempt.ts';

/** A call with its answer on the way, and what is known of it; figures are final once it has ended. */
export class InFlightCall implements IntrusiveListItem {
  readonly exchange: Exchange;
  listIndex = -1;
  #reply: Reply | undefined;
  #meter: Meter | undefined;
  #sentStatus: number | undefined;

  readonly #onEnd: (ending: Ending) => void;
  #ending: Ending | undefined;
  #answered = false;

  constructor(exchange: Exchange, settle: (ending: Ending) => void) {
    this.exchange = exchange;
    this.#onEnd = settle;
  }

  /** Once, however often it is told. */
  end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#answered = ending.how !== 'failed' || this.hasSentHead;
    this.#onEnd(ending);
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
  setReply(reply: Reply): void {
    this.#reply = reply;
    const last = this.exchange.trace.attempts.at(-1);
    if (last instanceof MeteredAttempt && last.isAnsweredBy(reply)) this.#meter = last.meter;
    else reply.tap((event) => this.meter.observe(event), 'milestones');
  }

  get reply(): Reply {
    if (this.#reply === undefined) throw new Error('the call has no reply yet');
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
    return attempts.length === 0 ? noCost : billOf(attempts);
  }

  get faults(): readonly unknown[] {
    return this.#reply?.faults ?? [];
  }

  /** The client has the head of its answer. */
  headSent(status: number): void {
    this.#sentStatus = status;
  }

  get hasSentHead(): boolean {
    return this.#sentStatus !== undefined;
  }

  /** The status that the client gets. */
  statusFor(ending: Ending): number {
    if (this.#sentStatus !== undefined) return this.#sentStatus;
    if (ending.how === 'aborted') return clientGoneStatus;
    if (ending.how === 'complete') return this.reply.status;
    return GatewayError.is(ending.error) ? ending.error.status : 500;
  }

  /** Its answer, and every other that was asked for in it. */
  abort(): void {
    void this.#reply?.discard();
    for (const attempt of this.exchange.trace.attempts)
      if (attempt instanceof MeteredAttempt && attempt.ending === undefined) attempt.abort();
  }
}

const noCost: Bill = { nanoUsd: 0, estimated: false };

/** Nobody is told: the client has left. */
const clientGoneStatus = 499;
