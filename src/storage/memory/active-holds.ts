import type { NanoUsd } from '../../kernel/money.ts';

interface ActiveHold {
  readonly id: string;
  readonly amount: NanoUsd;
  untilMs: number;
}

/** The sums that are held of one purse. Places are used again: like an OpenList, and found by name. */
export class ActiveHolds {
  readonly #holds: (ActiveHold | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  #holdsCreated = 0;
  /** All of them together. */
  total: NanoUsd = 0;
  /** Before this none of them is over. */
  #earliestExpiryMs = Number.POSITIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#freeIndexes.length === this.#holds.length;
  }

  /** Answers with its name. */
  add(amount: NanoUsd, untilMs: number): string {
    const place = this.#freeIndexes.pop() ?? this.#holds.length;
    const id = `${place}.${this.#holdsCreated++}`;
    this.#holds[place] = { id, amount, untilMs };
    this.total += amount;
    this.#earliestExpiryMs = Math.min(this.#earliestExpiryMs, untilMs);
    return id;
  }

  extend(id: string, untilMs: number): void {
    const sum = this.#holds[indexOfHold(id)];
    if (sum?.id === id) sum.untilMs = untilMs;
  }

  /** False where there is none of this name any more. */
  delete(id: string): boolean {
    const place = indexOfHold(id);
    const sum = this.#holds[place];
    if (sum?.id !== id) return false;
    this.#holds[place] = undefined;
    this.#freeIndexes.push(place);
    this.total -= sum.amount;
    return true;
  }

  /** Answers with what they came to. */
  deleteExpired(nowMs: number): NanoUsd {
    if (nowMs < this.#earliestExpiryMs) return 0;
    const before = this.total;
    this.#earliestExpiryMs = Number.POSITIVE_INFINITY;
    for (const sum of this.#holds) {
      if (sum === undefined) continue;
      if (sum.untilMs <= nowMs) this.delete(sum.id);
      else this.#earliestExpiryMs = Math.min(this.#earliestExpiryMs, sum.untilMs);
    }
    return before - this.total;
  }
}

function indexOfHold(id: string): number {
  return Number.parseInt(id, 10);
}
