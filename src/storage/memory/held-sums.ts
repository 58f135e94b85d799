import type { NanoUsd } from '../../kernel/money.ts';

interface KeptSum {
  readonly id: string;
  readonly amount: NanoUsd;
  untilMs: number;
}

/** The sums that are held of one purse. Places are used again: like an OpenList, and found by name. */
export class HeldSums {
  readonly #places: (KeptSum | undefined)[] = [];
  readonly #free: number[] = [];
  #made = 0;
  /** All of them together. */
  total: NanoUsd = 0;
  /** Before this none of them is over. */
  #noneOverMs = Number.POSITIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#free.length === this.#places.length;
  }

  /** Answers with its name. */
  add(amount: NanoUsd, untilMs: number): string {
    const place = this.#free.pop() ?? this.#places.length;
    const id = `${place}.${this.#made++}`;
    this.#places[place] = { id, amount, untilMs };
    this.total += amount;
    this.#noneOverMs = Math.min(this.#noneOverMs, untilMs);
    return id;
  }

  extend(id: string, untilMs: number): void {
    const sum = this.#places[placeOf(id)];
    if (sum?.id === id) sum.untilMs = untilMs;
  }

  /** False where there is none of this name any more. */
  delete(id: string): boolean {
    const place = placeOf(id);
    const sum = this.#places[place];
    if (sum?.id !== id) return false;
    this.#places[place] = undefined;
    this.#free.push(place);
    this.total -= sum.amount;
    return true;
  }

  /** Answers with what they came to. */
  deleteOver(nowMs: number): NanoUsd {
    if (nowMs < this.#noneOverMs) return 0;
    const before = this.total;
    this.#noneOverMs = Number.POSITIVE_INFINITY;
    for (const sum of this.#places) {
      if (sum === undefined) continue;
      if (sum.untilMs <= nowMs) this.delete(sum.id);
      else this.#noneOverMs = Math.min(this.#noneOverMs, sum.untilMs);
    }
    return before - this.total;
  }
}

function placeOf(id: string): number {
  return Number.parseInt(id, 10);
}
