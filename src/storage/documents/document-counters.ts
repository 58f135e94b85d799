import { hash } from 'node:crypto';
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
import type { DocumentChanges } from './document-changes.ts';

export interface CounterDocument {
  readonly window: string;
  readonly untilMs: number;
  count: number;
  /** When each slot expires, by holder. */
  readonly slots: Record<string, number>;
}

/** Counts of modules. Names are hashed, because modules may take them from texts of clients. */
export class DocumentCounters implements Counters {
  readonly #changes: DocumentChanges<CounterDocument>;
  readonly #clock: Clock;

  constructor(changes: DocumentChanges<CounterDocument>, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  add(name: CounterName, { amount, limit, windowMs }: Addition): Promise<CountState> {
    return this.#changes.change<CountState>(documentName('count', name), (existing) => {
      const nowMs = this.#clock.now();
      const counter = existing ?? this.#open(nowMs + windowMs);
      const isAllowed = amount === 0 ? counter.count < limit : counter.count + amount <= limit;
      const isAdded = isAllowed && amount > 0;
      if (isAdded) counter.count += amount;
      const { count, window, untilMs } = counter;
      if (existing === undefined && !isAdded)
        return { result: { isAllowed, count: 0, window: '', leftMs: 0 } };
      const result = { isAllowed, count, window, leftMs: untilMs - nowMs };
      return isAdded ? { value: counter, untilMs, result } : { result };
    });
  }

  correct(name: CounterName, { window, change }: Correction): Promise<void> {
    return this.#changes.change(documentName('count', name), (counter) => {
      if (counter?.window !== window) return { result: undefined };
      counter.count = Math.max(0, counter.count + change);
      return { value: counter, untilMs: counter.untilMs, result: undefined };
    });
  }

  takeSlot(name: CounterName, { holder, limit, lifeMs }: SlotRequest): Promise<SlotState> {
    return this.#changes.change<SlotState>(documentName('slots', name), (existing) => {
      const nowMs = this.#clock.now();
      const counter = existing ?? this.#open(0);
      const { slots } = counter;
      for (const [one, untilMs] of Object.entries(slots)) if (untilMs <= nowMs) delete slots[one];
      const isAllowed = slots[holder] !== undefined || Object.keys(slots).length < limit;
      if (isAllowed) slots[holder] = nowMs + lifeMs;
      const result = { isAllowed, count: Object.keys(slots).length };
      return isAllowed
        ? { value: counter, untilMs: Math.max(nowMs + lifeMs, ...Object.values(slots)), result }
        : { result };
    });
  }

  releaseSlot(name: CounterName, holder: string): Promise<void> {
    return this.#changes.change(documentName('slots', name), (counter) => {
      if (counter?.slots[holder] === undefined) return { result: undefined };
      delete counter.slots[holder];
      return { value: counter, untilMs: Math.max(0, ...Object.values(counter.slots)), result: undefined };
    });
  }

  #open(untilMs: number): CounterDocument {
    return { window: this.#changes.createId(), untilMs, count: 0, slots: {} };
  }
}

type CounterKind = 'count' | 'slots' | 'rate';

/** By account, so that all of an account can be deleted. */
export function counterPrefix(kind: CounterKind, scope: string): string {
  return `${kind} ${hash('sha256', scope, 'base64url')} `;
}

export function documentName(kind: CounterKind, { scope, name }: CounterName): string {
  return counterPrefix(kind, scope) + hash('sha256', name, 'base64url');
}
