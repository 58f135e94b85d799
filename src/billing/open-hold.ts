import { limits } from '../kernel/limits.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { BudgetHolder, Ceilings, HeldAmount, Hold } from '../kernel/ports/budget.ts';
import type { IntrusiveListItem } from '../lib/intrusive-list.ts';

/** Settles the hold in the store; `again` if an earlier attempt may have succeeded. Never rejects. */
type SettleHold = (hold: OpenHold, cost: NanoUsd, again: boolean) => Promise<void>;

/** The call of a hold. */
export interface HoldCall {
  readonly isEnded: boolean;
  /** Whether its pipeline has an airgap, so that it causes no alert. */
  readonly isAirgapped: boolean;
}

export interface OpenHoldParts {
  readonly held: HeldAmount;
  readonly ceilings: Ceilings;
  readonly heldAtMs: number;
  readonly call: HoldCall | undefined;
}

/** A hold, from its grant until the store has the cost of the call. */
export class OpenHold implements Hold, IntrusiveListItem {
  readonly held: HeldAmount;
  readonly ceilings: Ceilings;
  listIndex = -1;
  readonly #settle: SettleHold;
  readonly #call: HoldCall | undefined;
  #renewedAtMs = performance.now();
  /** When the store last held it for sure. */
  #heldAtMs: number;
  #cost: NanoUsd | undefined;
  #settling: Promise<void> | undefined;
  #settleFailed = false;
  #isReservedElsewhere = false;

  constructor({ held, ceilings, heldAtMs, call }: OpenHoldParts, settleHold: SettleHold) {
    this.held = held;
    this.ceilings = ceilings;
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

  /** Whether its call has ended without settling it. */
  get isOrphaned(): boolean {
    return !this.isSettled && this.#call?.isEnded === true;
  }

  get isAirgapped(): boolean {
    return this.#call?.isAirgapped === true;
  }

  /** Whether the store may have counted all of it as spent, because it was not renewed in time. */
  mayHaveExpired(nowMs: number): boolean {
    return nowMs >= this.#heldAtMs + limits.holdLifeMs;
  }

  /** The store has extended the hold from this time. */
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

  /** Resolves when the running attempt has ended. */
  whenSettled(): Promise<void> {
    return this.#settling ?? Promise.resolve();
  }

  /** Whether a reservation that outlives the process has its amount. */
  get isReservedElsewhere(): boolean {
    return this.#isReservedElsewhere;
  }

  /** False if it is not of this call, or settled, or was handed over before. */
  handOver(call: HoldCall): boolean {
    if (this.#call !== call || this.isSettled || this.#isReservedElsewhere) return false;
    this.#isReservedElsewhere = true;
    return true;
  }

  /** The store could not be reached. */
  markSettleFailed(): void {
    this.#settleFailed = true;
  }

  retry(): void {
    if (!this.#settleFailed || this.#cost === undefined) return;
    this.#settleFailed = false;
    this.#settling = this.#settle(this, this.#cost, true);
  }

  /** Returns whether the last renewal was before this time, and if so, marks it as renewed now. */
  claimRenewal(beforeMs: number): boolean {
    if (this.#renewedAtMs > beforeMs) return false;
    this.#renewedAtMs = performance.now();
    return true;
  }
}

/** The cost is added to an integer sum, whatever the provider reported. */
function isValidCost(cost: NanoUsd): boolean {
  return Number.isInteger(cost) && cost >= 0 && cost <= limits.usageFigureMax;
}
