import type {
  Addition,
  Correction,
  CounterName,
  Counters,
  CountState,
  SlotRequest,
  SlotState,
} from '../../kernel/ports/counters.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

interface Counter {
  readonly window: string;
  untilMs: number;
  count: number;
  /** When each slot expires, by holder. */
  readonly slots: Map<string, number>;
}

type CountersByName = Map<string, Counter>;

/** Counts for a gateway that runs as one process. If there are too many, the scope with the most loses its oldest. */
export class MemoryCounters implements Counters {
  readonly #clock: Clock;
  readonly #countersMax: number;
  readonly #scopes = new Map<string, CountersByName>();
  #size = 0;
  #windows = 0;

  constructor(clock: Clock, countersMax: number = limits.countersMax) {
    this.#clock = clock;
    this.#countersMax = countersMax;
  }

  /** The number of counts in memory. */
  get size(): number {
    return this.#size;
  }

  async add({ scope, name }: CounterName, { amount, limit, windowMs }: Addition): Promise<CountState> {
    const nowMs = this.#clock.now();
    const current = this.#find(scope, `count ${name}`, nowMs);
    const count = current?.count ?? 0;
    const isAllowed = amount === 0 ? count < limit : count + amount <= limit;
    const isAdded = isAllowed && amount > 0;
    const counter = current ?? (isAdded ? this.#open(scope, `count ${name}`, nowMs + windowMs) : undefined);
    if (counter === undefined) return { isAllowed, count, window: '', leftMs: 0 };
    if (isAdded) counter.count += amount;
    return { isAllowed, count: counter.count, window: counter.window, leftMs: counter.untilMs - nowMs };
  }

  async correct({ scope, name }: CounterName, { window, change }: Correction): Promise<void> {
    const counter = this.#find(scope, `count ${name}`, this.#clock.now());
    if (counter?.window === window) counter.count = Math.max(0, counter.count + change);
  }

  async takeSlot({ scope, name }: CounterName, { holder, limit, lifeMs }: SlotRequest): Promise<SlotState> {
    const nowMs = this.#clock.now();
    const current = this.#find(scope, `slots ${name}`, nowMs);
    const { slots } = current ?? this.#open(scope, `slots ${name}`, nowMs + lifeMs);
    for (const [one, untilMs] of slots) if (untilMs <= nowMs) slots.delete(one);
    const isAllowed = slots.has(holder) || slots.size < limit;
    if (isAllowed) slots.set(holder, nowMs + lifeMs);
    if (isAllowed && current !== undefined) current.untilMs = nowMs + lifeMs;
    return { isAllowed, count: slots.size };
  }

  async releaseSlot({ scope, name }: CounterName, holder: string): Promise<void> {
    this.#find(scope, `slots ${name}`, this.#clock.now())?.slots.delete(holder);
  }

  erase(scope: string): void {
    this.#size -= this.#scopes.get(scope)?.size ?? 0;
    this.#scopes.delete(scope);
  }

  #find(scope: string, name: string, nowMs: number): Counter | undefined {
    const counter = this.#scopes.get(scope)?.get(name);
    return counter !== undefined && counter.untilMs > nowMs ? counter : undefined;
  }

  #open(scope: string, name: string, untilMs: number): Counter {
    this.#delete(scope, name);
    if (this.#size >= this.#countersMax) this.#makeRoom();
    const counters = this.#scopes.get(scope) ?? new Map<string, Counter>();
    const counter: Counter = { window: String(++this.#windows), untilMs, count: 0, slots: new Map() };
    this.#scopes.set(scope, counters.set(name, counter));
    this.#size++;
    return counter;
  }

  #delete(scope: string, name: string): void {
    const counters = this.#scopes.get(scope);
    if (counters?.delete(name) !== true) return;
    this.#size--;
    if (counters.size === 0) this.#scopes.delete(scope);
  }

  /** Evicts a tenth at least, so that this runs rarely: ended windows first, then the oldest of the largest scopes. */
  #makeRoom(): void {
    const nowMs = this.#clock.now();
    for (const [scope, counters] of this.#scopes)
      for (const [name, { untilMs }] of counters) if (untilMs <= nowMs) this.#delete(scope, name);
    const sizeMax = Math.floor(this.#countersMax * 0.9);
    for (const [scope, counters] of [...this.#scopes].sort(([, one], [, other]) => other.size - one.size))
      for (const name of [...counters.keys()].slice(0, Math.ceil(counters.size / 2))) {
        if (this.#size <= sizeMax) return;
        this.#delete(scope, name);
      }
  }
}
