import { billOf, type Spent, usageOf } from '../kernel/attempt.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Usage } from '../kernel/message.ts';
import type { Bill } from '../kernel/money.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import type { IntrusiveListItem } from '../lib/intrusive-list.ts';
import { Meter } from './meter.ts';
import { MeteredAttempt } from './metered-attempt.ts';

/** A call in flight and its figures, which are final once it has ended. */
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

  /** Ends the call; further calls do nothing. */
  end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#answered = ending.how !== 'failed' || this.hasSentHead;
    this.#onEnd(ending);
  }

  /** Undefined until the call ends. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Whether the call has ended and counts. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Meters the client's reply where it isn't a provider's own. */
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

  /** Meters what the answer reports. */
  get meter(): Meter {
    this.#meter ??= new Meter();
    return this.#meter;
  }

  /** The usage of all attempts; without attempts, the usage that the answer reports. */
  get usage(): Usage {
    const { attempts } = this.exchange.trace;
    return attempts.length === 0 ? this.meter.usage : usageOf(this.#spent);
  }

  /** The cost; undefined if unknown. An answer without attempts costs nothing. */
  get bill(): Bill | undefined {
    const { attempts } = this.exchange.trace;
    return attempts.length === 0 ? noCost : billOf(this.#spent);
  }

  get #spent(): readonly Spent[] {
    const { attempts, batches } = this.exchange.trace;
    return batches === undefined ? attempts : [...attempts, batches];
  }

  get faults(): readonly unknown[] {
    return this.#reply?.faults ?? [];
  }

  /** The response head was sent to the client. */
  headSent(status: number): void {
    this.#sentStatus = status;
  }

  get hasSentHead(): boolean {
    return this.#sentStatus !== undefined;
  }

  /** The status for the client. */
  statusFor(ending: Ending): number {
    if (this.#sentStatus !== undefined) return this.#sentStatus;
    if (ending.how === 'aborted') return clientGoneStatus;
    if (ending.how === 'complete') return this.reply.status;
    return GatewayError.is(ending.error) ? ending.error.status : 500;
  }

  /** Aborts the reply and all other attempts. */
  abort(): void {
    void this.#reply?.discard();
    for (const attempt of this.exchange.trace.attempts)
      if (attempt instanceof MeteredAttempt && attempt.ending === undefined) attempt.abort();
  }
}

const noCost: Bill = { nanoUsd: 0, estimated: false };

/** Only logged: the client has left. */
const clientGoneStatus = 499;
