import type { IntrusiveListItem } from '../kernel/intrusive-list.ts';
import { limits } from '../kernel/limits.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { BudgetHolder, HeldAmount, Hold } from '../kernel/ports/budget.ts';

/** Tells the store; `again` where an earlier try may have come through. Never fails. */
type SettleHold = (hold: OpenHold, cost: NanoUsd, again: boolean) => Promise<void>;

/** The call that a sum is held for. */
export interface HoldCall {
  readonly isEnded: boolean;
}

interface OpenHoldParts {
  readonly held: HeldAmount;
  readonly heldAtMs: number;
  readonly call: HoldCall | undefined;
}

/** A hold from the moment it was granted until the store knows what the call cost. */
export class OpenHold implements Hold, IntrusiveListItem {
  readonly held: HeldAmount;
  listIndex = -1;
  readonly #settle: SettleHold;
  readonly #call: HoldCall | undefined;
  #renewedAtMs = performance.now();
  /** The store still held it at this time. */
  #heldAtMs: number;
  #cost: NanoUsd | undefined;
  #settling: Promise<void> | undefined;
  #settleFailed = false;

  constructor({ held, heldAtMs, call }: OpenHoldParts, settleHold: SettleHold) {
    this.held = held;
    this.#heldAtMs = heldAtMs;
    this.#call = call;
    this.#settle = settleHold;
  }

  get amount(): NanoUsd {
    return this.held.amount;
  }

  get isSettled(): boolean {
    return this.#cost !== undefined;
  }

  /** Whether its call has ended without it. */
  get isOrphaned(): boolean {
    return !this.isSettled && this.#call?.isEnded === true;
  }

  /** Whether the store may have counted all of it as spent, because it has not heard of it for too long. */
  mayHaveExpired(nowMs: number): boolean {
    return nowMs >= this.#heldAtMs + limits.holdLifeMs;
  }

  /** The store holds it for another while, counted from this time. */
  markRenewed(atMs: number): void {
    this.#heldAtMs = atMs;
  }

  belongsTo({ accountId, keyId }: BudgetHolder): boolean {
    return this.held.holder.accountId === accountId && this.held.holder.keyId === keyId;
  }

  settle(cost: NanoUsd): Promise<void> {
    if (this.#cost === undefined) {
      this.#cost = isValidCost(cost) ? cost : this.amount;
      this.#settling = this.#settle(this, this.#cost, false);
    }
    return this.whenSettled();
  }

  /** Resolves when the try that is under way is over. */
  whenSettled(): Promise<void> {
    return this.#settling ?? Promise.resolve();
  }

  /** The store could not be told. */
  markSettleFailed(): void {
    this.#settleFailed = true;
  }

  retry(): void {
    if (!this.#settleFailed || this.#cost === undefined) return;
    this.#settleFailed = false;
    this.#settling = this.#settle(this, this.#cost, true);
  }

  /** Whether it was last renewed before this time; it is then taken to be renewed now. */
  claimRenewal(beforeMs: number): boolean {
    if (this.#renewedAtMs > beforeMs) return false;
    this.#renewedAtMs = performance.now();
    return true;
  }
}

/** What a provider says that a call cost becomes part of a sum that must stay whole. */
function isValidCost(cost: NanoUsd): boolean {
  return Number.isInteger(cost) && cost >= 0 && cost <= limits.usageFigureMax;
}
