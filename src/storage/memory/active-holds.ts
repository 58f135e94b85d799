import type { NanoUsd } from '../../kernel/money.ts';

interface ActiveHold {
  readonly id: string;
  readonly amount: NanoUsd;
  untilMs: number;
}

/** The holds of one budget, found by id. Array indexes are reused. */
export class ActiveHolds {
  readonly #holds: (ActiveHold | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  #holdsCreated = 0;
  /** The sum of all holds. */
  total: NanoUsd = 0;
  /** No hold expires before this time. */
  #earliestExpiryMs = Number.POSITIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#freeIndexes.length === this.#holds.length;
  }

  /** Returns the id of the new hold. */
  add(amount: NanoUsd, untilMs: number): string {
    const index = this.#freeIndexes.pop() ?? this.#holds.length;
    const id = `${index}.${this.#holdsCreated++}`;
    this.#holds[index] = { id, amount, untilMs };
    this.total += amount;
    this.#earliestExpiryMs = Math.min(this.#earliestExpiryMs, untilMs);
    return id;
  }

  extend(id: string, untilMs: number): void {
    const hold = this.#holds[indexOfHold(id)];
    if (hold?.id === id) hold.untilMs = untilMs;
  }

  /** Returns false if there is no such hold. */
  delete(id: string): boolean {
    const index = indexOfHold(id);
    const hold = this.#holds[index];
    if (hold?.id !== id) return false;
    this.#holds[index] = undefined;
    this.#freeIndexes.push(index);
    this.total -= hold.amount;
    return true;
  }

  /** Returns the sum of the deleted holds. */
  deleteExpired(nowMs: number): NanoUsd {
    if (nowMs < this.#earliestExpiryMs) return 0;
    const before = this.total;
    this.#earliestExpiryMs = Number.POSITIVE_INFINITY;
    for (const hold of this.#holds) {
      if (hold === undefined) continue;
      if (hold.untilMs <= nowMs) this.delete(hold.id);
      else this.#earliestExpiryMs = Math.min(this.#earliestExpiryMs, hold.untilMs);
    }
    return before - this.total;
  }
}

function indexOfHold(id: string): number {
  return Number.parseInt(id, 10);
}
