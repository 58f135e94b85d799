import { GatewayError } from '../kernel/errors.ts';
import type { BudgetHolder, HoldDecision, HoldRequest, HoldWait } from '../kernel/ports/budget.ts';
import { limits } from './limits.ts';

type RefusedHold = Extract<HoldDecision, { outcome: 'refused' }>;

/** Whether a hold is refused only because of what other calls hold. */
export function mayFitLater({ window, spent }: RefusedHold, { ceilings, least }: HoldRequest): boolean {
  return spent + least <= (ceilings[window] ?? Number.POSITIVE_INFINITY);
}

interface Queue {
  readonly waiters: Set<Waiter>;
  readonly timer: NodeJS.Timeout;
  isTrying: boolean;
  /** Whether something was settled since the waiters last tried. */
  isDue: boolean;
}

/**
 * Calls that wait for money that other calls of their key hold: most cost less than they hold. When one is settled, the first
 * waiter tries again, then the next, up to the first that is still refused. Settlements of other processes are found by trying now and then.
 */
export class WaitingHolds {
  readonly #retryMs: number;
  readonly #queues = new Map<string, Queue>();

  constructor(retryMs: number = limits.waitingHoldRetryMs) {
    this.#retryMs = retryMs;
  }

  /** Resolves to the last refusal when the time is over. */
  async wait(holder: BudgetHolder, waiter: Waiter): Promise<HoldDecision> {
    const name = nameOf(holder);
    const queue = this.#queues.get(name) ?? this.#openQueue(name);
    if (queue.waiters.size >= limits.waitingHoldsMax) return waiter.refused;
    queue.waiters.add(waiter);
    try {
      return await waiter.whenDecided();
    } finally {
      queue.waiters.delete(waiter);
      if (queue.waiters.size === 0) {
        clearInterval(queue.timer);
        this.#queues.delete(name);
      }
    }
  }

  /** A hold was settled. */
  wake(holder: BudgetHolder): void {
    const queue = this.#queues.get(nameOf(holder));
    if (queue !== undefined) void tryWaiters(queue);
  }

  #openQueue(name: string): Queue {
    const timer = setInterval(() => void tryWaiters(queue), this.#retryMs).unref();
    const queue: Queue = { waiters: new Set(), timer, isTrying: false, isDue: false };
    this.#queues.set(name, queue);
    return queue;
  }
}

async function tryWaiters(queue: Queue): Promise<void> {
  queue.isDue = true;
  if (queue.isTrying) return;
  queue.isTrying = true;
  while (queue.isDue) {
    queue.isDue = false;
    for (const waiter of queue.waiters) if (!(await waiter.tryAgain())) break;
  }
  queue.isTrying = false;
}

/** One call that waits. */
export class Waiter {
  /** The last refusal. */
  refused: RefusedHold;
  readonly #request: HoldRequest;
  readonly #tryToHold: () => Promise<HoldDecision>;
  readonly #wait: HoldWait;
  readonly #decided = Promise.withResolvers<HoldDecision>();
  #isOver = false;

  constructor(
    request: HoldRequest,
    {
      wait,
      refused,
      tryToHold,
    }: { wait: HoldWait; refused: RefusedHold; tryToHold(): Promise<HoldDecision> },
  ) {
    this.#request = request;
    this.#wait = wait;
    this.refused = refused;
    this.#tryToHold = tryToHold;
  }

  async whenDecided(): Promise<HoldDecision> {
    const { forMs, signal } = this.#wait;
    const leave = () =>
      this.#decided.reject(new GatewayError('client_gone', 'the client closed the connection'));
    const timer = setTimeout(() => this.#decided.resolve(this.refused), forMs);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await this.#decided.promise;
    } finally {
      this.#isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /** False if it is still refused, so that the next in line needn't try. */
  async tryAgain(): Promise<boolean> {
    if (this.#isOver) return true;
    try {
      const decision = await this.#tryToHold();
      if (decision.outcome === 'refused') {
        this.refused = decision;
        if (mayFitLater(decision, this.#request)) return false;
      }
      // It stopped waiting meanwhile.
      if (this.#isOver && decision.outcome === 'granted') await decision.hold.settle(0);
      this.#decided.resolve(decision);
      return true;
    } catch (error) {
      this.#decided.reject(error);
      return false;
    }
  }
}

function nameOf({ accountId, keyId }: BudgetHolder): string {
  return `${accountId}\n${keyId}`;
}
