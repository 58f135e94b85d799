import { randomBytes } from 'node:crypto';
import type {
  Allowance,
  InFlightCalls,
  SlotDecision,
  Slots,
  Versions,
} from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type AccountState,
  beginCount,
  createAccountState,
  giveBackSlot,
  releaseSlots,
  reportCalls,
  takeMoreSlots,
  takeSlot,
} from '../account-state.ts';
import { limits } from '../limits.ts';

/** Counts and versions of accounts. Evicted counts are read from the database again. */
export class MemoryAccountState implements Slots, Versions {
  readonly #clock: Clock;
  readonly #accountsMax: number;
  readonly #accounts = new Map<string, AccountState>();
  readonly #instanceId = randomBytes(6).toString('base64url');
  #versionsCreated = 0;

  constructor(clock: Clock, accountsMax: number = limits.countedAccountsMax) {
    this.#clock = clock;
    this.#accountsMax = accountsMax;
  }

  /** The number of accounts in memory. */
  get size(): number {
    return this.#accounts.size;
  }

  take(allowance: Allowance, inFlightCalls?: InFlightCalls): SlotDecision {
    const nowMs = this.#clock.now();
    return takeSlot(this.#stateOf(allowance), { allowance, inFlightCalls, nowMs });
  }

  /** Takes further slots after `take` granted one. */
  takeMore(allowance: Allowance, calls: number): void {
    takeMoreSlots(this.#stateOf(allowance), { allowance, nowMs: this.#clock.now() }, calls);
  }

  /** Releases slots that no call used. */
  releaseUnused(allowance: Allowance, calls: number): void {
    releaseSlots(this.#stateOf(allowance), { allowance, nowMs: this.#clock.now() }, calls);
  }

  async reportInFlight(allowance: Allowance, inFlightCalls: InFlightCalls): Promise<void> {
    const nowMs = this.#clock.now();
    reportCalls(this.#stateOf(allowance), { allowance, inFlightCalls, nowMs });
  }

  async giveBack(allowance: Allowance): Promise<void> {
    giveBackSlot(this.#stateOf(allowance), { allowance, nowMs: this.#clock.now() });
  }

  async undo(allowance: Allowance): Promise<void> {
    this.releaseUnused(allowance, 1);
  }

  async begin(allowance: Allowance, used: number): Promise<void> {
    beginCount(this.#stateOf(allowance), { allowance, nowMs: this.#clock.now() }, used);
  }

  of(accountId: string): string {
    return this.#getOrCreate(accountId).version;
  }

  async renew(accountId: string): Promise<void> {
    this.#getOrCreate(accountId).version = this.#newVersion();
  }

  erase(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  #stateOf({ accountId }: Allowance): AccountState {
    return this.#getOrCreate(accountId);
  }

  #getOrCreate(id: string): AccountState {
    const existing = this.#accounts.get(id);
    if (existing !== undefined) return existing;
    if (this.#accounts.size >= this.#accountsMax) this.#makeRoom();
    const accountState = createAccountState(this.#newVersion());
    this.#accounts.set(id, accountState);
    return accountState;
  }

  /** Evicts ended periods first, then the oldest accounts; at least a tenth, so that this runs rarely. */
  #makeRoom(): void {
    const nowMs = this.#clock.now();
    for (const [id, { counts, givenBackUntilMs }] of this.#accounts)
      if (givenBackUntilMs <= nowMs && counts.every(({ untilMs }) => untilMs <= nowMs))
        this.#accounts.delete(id);
    const sizeMax = Math.floor(this.#accountsMax * 0.9);
    for (const id of this.#accounts.keys()) {
      if (this.#accounts.size <= sizeMax) break;
      this.#accounts.delete(id);
    }
  }

  #newVersion(): string {
    return `${this.#instanceId}.${this.#versionsCreated++}`;
  }
}
