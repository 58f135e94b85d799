import { limits } from '../kernel/limits.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Listed } from '../kernel/open-list.ts';
import type { HeldSum, Hold, Holder } from '../kernel/ports/purse.ts';

/** Tells the store; `again` where an earlier try may have come through. Never fails. */
type Settle = (hold: OpenHold, cost: NanoUsd, again: boolean) => Promise<void>;

/** The call that a sum is held for. */
export interface HeldFor {
  readonly isOver: boolean;
}

interface Opened {
  readonly held: HeldSum;
  readonly heldAtMs: number;
  readonly call: HeldFor | undefined;
}

/** A hold from the moment it was granted until the store knows what the call cost. */
export class OpenHold implements Hold, Listed {
  readonly held: HeldSum;
  place = -1;
  readonly #settle: Settle;
  readonly #call: HeldFor | undefined;
  #renewedAtMs = performance.now();
  /** The store still held it at this time. */
  #heldAtMs: number;
  #cost: NanoUsd | undefined;
  #settling: Promise<void> | undefined;
  #owes = false;

  constructor({ held, heldAtMs, call }: Opened, settle: Settle) {
    this.held = held;
    this.#heldAtMs = heldAtMs;
    this.#call = call;
    this.#settle = settle;
  }

  get amount(): NanoUsd {
    return this.held.amount;
  }

  get isSettled(): boolean {
    return this.#cost !== undefined;
  }

  /** Whether its call has ended without it. */
  get isOrphaned(): boolean {
    return !this.isSettled && this.#call?.isOver === true;
  }

  /** Whether the store may have counted all of it as spent, because it has not heard of it for too long. */
  mayBeOver(nowMs: number): boolean {
    return nowMs >= this.#heldAtMs + limits.holdLifeMs;
  }

  /** The store holds it for another while, counted from this time. */
  renewed(atMs: number): void {
    this.#heldAtMs = atMs;
  }

  isOf({ accountId, keyId }: Holder): boolean {
    return this.held.holder.accountId === accountId && this.held.holder.keyId === keyId;
  }

  settle(cost: NanoUsd): Promise<void> {
    if (this.#cost === undefined) {
      this.#cost = isBelievable(cost) ? cost : this.amount;
      this.#settling = this.#settle(this, this.#cost, false);
    }
    return this.settled();
  }

  /** Resolves when the try that is under way is over. */
  settled(): Promise<void> {
    return this.#settling ?? Promise.resolve();
  }

  /** The store could not be told. */
  owes(): void {
    this.#owes = true;
  }

  retry(): void {
    if (!this.#owes || this.#cost === undefined) return;
    this.#owes = false;
    this.#settling = this.#settle(this, this.#cost, true);
  }

  /** Whether it was last renewed before this time; it is then taken to be renewed now. */
  takeTurn(beforeMs: number): boolean {
    if (this.#renewedAtMs > beforeMs) return false;
    this.#renewedAtMs = performance.now();
    return true;
  }
}

/** What a provider says that a call cost becomes part of a sum that must stay whole. */
function isBelievable(cost: NanoUsd): boolean {
  return Number.isInteger(cost) && cost >= 0 && cost <= limits.usageFigureMax;
}
