import { limits } from '../../kernel/limits.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type {
  AskedHold,
  HoldOutcome,
  Settlement,
  Spent,
  WindowName,
  Windows,
} from '../../kernel/ports/purse.ts';
import { HeldSums } from './held-sums.ts';

/** Where both have no room the longer is told: waiting for the end of the shorter would not help. */
const longestFirst: readonly WindowName[] = ['month', 'day'];

/** What one key spent in the day and the month that are running, and what is held of the rest. */
export class MemoryPurse {
  readonly #held = new HeldSums();
  readonly #starts: { day: number; month: number };
  readonly #spent: { day: number; month: number };
  #idleFromMs: number;

  constructor({ day, month }: Windows, spent: Spent, nowMs: number) {
    this.#starts = { day: day.startMs, month: month.startMs };
    this.#spent = { ...spent };
    this.#idleFromMs = nowMs + limits.purseIdleMs;
  }

  get isHolding(): boolean {
    return !this.#held.isEmpty;
  }

  isIdle(nowMs: number): boolean {
    return nowMs >= this.#idleFromMs;
  }

  hold({ holder, windows, ceilings, amount, least }: AskedHold, nowMs: number): HoldOutcome {
    this.#moveTo(windows);
    this.#spend(this.#held.deleteOver(nowMs));
    const held = this.#held.total;
    let granted = amount;
    for (const window of longestFirst) {
      const ceiling = ceilings[window];
      if (ceiling === undefined) continue;
      const left = ceiling - this.#spent[window] - held;
      if (left < least) return { outcome: 'refused', window, spent: this.#spent[window], held };
      granted = Math.min(granted, left);
    }
    const id = this.#held.add(granted, nowMs + limits.holdLifeMs);
    this.#usedUntil(nowMs + limits.holdLifeMs);
    return { outcome: 'granted', held: { holder, amount: granted, id }, spent: { ...this.#spent } };
  }

  settle(id: string, { cost, windows, again }: Settlement, nowMs: number): void {
    if (!this.#held.delete(id) && again) return;
    this.#moveTo(windows);
    this.#spend(cost);
    this.#usedUntil(nowMs);
  }

  renew(id: string, nowMs: number): void {
    this.#held.extend(id, nowMs + limits.holdLifeMs);
    this.#usedUntil(nowMs + limits.holdLifeMs);
  }

  #spend(cost: NanoUsd): void {
    this.#spent.day += cost;
    this.#spent.month += cost;
  }

  #usedUntil(untilMs: number): void {
    this.#idleFromMs = Math.max(this.#idleFromMs, untilMs + limits.purseIdleMs);
  }

  /** A new day or month begins with nothing spent; what is held counts in it too, since that is where it will be spent. */
  #moveTo({ day, month }: Windows): void {
    if (day.startMs > this.#starts.day) {
      this.#starts.day = day.startMs;
      this.#spent.day = 0;
    }
    if (month.startMs > this.#starts.month) {
      this.#starts.month = month.startMs;
      this.#spent.month = 0;
    }
  }
}
