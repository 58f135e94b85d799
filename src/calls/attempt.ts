import type { Attempt } from '../kernel/attempt.ts';
import type { Caller } from '../kernel/caller.ts';
import { askingOf, type Exchange } from '../kernel/exchange.ts';
import type { Usage } from '../kernel/message.ts';
import type { Handler } from '../kernel/module.ts';
import type { Bill } from '../kernel/money.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { Target } from '../kernel/provider.ts';
import { type Ending, endingOf } from '../kernel/reply/ending.ts';
import { custody, type Reply } from '../kernel/reply/reply.ts';
import { Meter } from './meter.ts';
import type { Settling } from './settling.ts';

export interface MeteringParts {
  readonly upstream: Handler;
  readonly prices: Pick<Prices, 'bill'>;
  /** Told of every attempt once, when it has ended. */
  spent(attempt: Attempt, caller: Caller): void;
  readonly settling: Settling;
}

/** An upstream whose every answer is metered and billed where it comes in, whatever becomes of it further out. */
export function metered({ upstream, ...parts }: MeteringParts): Handler {
  return async (exchange) => {
    const attempt = new MeteredAttempt(exchange, parts);
    let reply: Reply;
    try {
      reply = await upstream(exchange);
    } catch (failure) {
      attempt.close(endingOf(failure));
      throw failure;
    }
    return attempt.follow(reply);
  };
}

/** One answer of a provider, from the question to its bill. */
export class MeteredAttempt implements Attempt {
  readonly target: Target;
  readonly askedBy: string | undefined;
  readonly isAside: boolean;
  readonly meter = new Meter();
  bill: Bill | undefined;
  ending: Ending | undefined;
  readonly #exchange: Exchange;
  readonly #parts: Omit<MeteringParts, 'upstream'>;
  #reply: Reply | undefined;

  constructor(exchange: Exchange, parts: Omit<MeteringParts, 'upstream'>) {
    const { within, askedBy, isAside } = askingOf(exchange);
    this.target = exchange.target;
    this.askedBy = askedBy;
    this.isAside = isAside;
    this.#exchange = exchange;
    this.#parts = parts;
    exchange.trace.asks(this);
    for (let module = within; module !== undefined; module = module.outer) module.asks(this);
  }

  get usage(): Usage {
    return this.meter.usage;
  }

  /** Whether this is its answer, as it came. */
  isAnsweredBy(reply: Reply): boolean {
    return this.#reply === reply;
  }

  gave(reply: Reply): boolean {
    return this.#reply !== undefined && custody.origin(reply) === custody.origin(this.#reply);
  }

  follow(reply: Reply): Reply {
    this.#reply = reply;
    return reply.tap((event) => this.meter.look(event), 'milestones').onEnd((ending) => this.close(ending));
  }

  /** Gives its answer up, whoever reads it, also where it is still waited for. */
  giveUp(): void {
    if (this.#reply === undefined) this.close({ how: 'aborted' });
    else void this.#reply.discard();
  }

  /** However it ended, and whatever its provider said: it is over. */
  close(ending: Ending): void {
    if (this.ending !== undefined) return;
    const { id, received, caller, trace } = this.#exchange;
    const { target, meter } = this;
    const { prices, spent, settling } = this.#parts;
    settling.part('meter', id, () => {
      const unread = this.#reply?.unread ?? nothing;
      meter.close({ ending, received, target, unread });
    });
    settling.part('bill', id, () => {
      const bill = prices.bill(target, meter.usage, meter.model);
      this.bill = bill !== undefined && meter.estimated ? { ...bill, estimated: true } : bill;
    });
    this.ending = ending;
    settling.part('spent', id, () => spent(this, caller));
    settling.part('trace', id, () => trace.attemptEnded());
    const { within } = askingOf(this.#exchange);
    for (let module = within; module !== undefined; module = module.outer) {
      const asker = module;
      settling.part('module', id, () => asker.attemptEnded());
    }
  }
}

const nothing = { tokens: 0, calls: 0 } as const;
