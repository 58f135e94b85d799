import { randomBytes } from 'node:crypto';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  Allowance,
  InFlightCalls,
  SlotDecision,
  Slots,
  Versions,
} from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

/** One account's calls in one period. */
interface PeriodCount {
  readonly periodStartMs: number;
  readonly untilMs: number;
  used: number;
  /** By process. */
  readonly inFlight: Map<string, InFlightEntry>;
}

interface InFlightEntry {
  calls: number;
  untilMs: number;
}

interface AccountState {
  version: string;
  /** Usually one; two around the end of a period. */
  counts: readonly PeriodCount[];
  givenBack: number;
  givenBackUntilMs: number;
}

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

  take(
    { accountId, periodStartMs, limit, givenBackMax }: Allowance,
    inFlightCalls?: InFlightCalls,
  ): SlotDecision {
    const accountState = this.#getOrCreate(accountId);
    const { version } = accountState;
    const nowMs = this.#clock.now();
    if (accountState.givenBack >= givenBackMax) {
      const leftMs = accountState.givenBackUntilMs - nowMs;
      if (leftMs > 0) return { outcome: 'failing', retryAfterSeconds: Math.ceil(leftMs / 1000), version };
    }
    const periodCount = findCount(accountState, periodStartMs, nowMs);
    if (periodCount === undefined) return { outcome: 'uncounted', version };
    if (periodCount.used >= limit) {
      if (inFlightCalls !== undefined)
        recordInFlight(periodCount, { ...inFlightCalls, calls: inFlightCalls.calls - 1 }, nowMs);
      return { outcome: 'full', used: periodCount.used, held: countInFlight(periodCount, nowMs), version };
    }
    if (inFlightCalls !== undefined) recordInFlight(periodCount, inFlightCalls, nowMs);
    return { outcome: 'granted', used: ++periodCount.used, version };
  }

  /** Takes further slots after `take` granted one. */
  takeMore({ accountId, periodStartMs }: Allowance, calls: number): void {
    const periodCount = findCount(this.#getOrCreate(accountId), periodStartMs, this.#clock.now());
    if (periodCount !== undefined) periodCount.used += calls;
  }

  /** Releases slots that no call used. */
  releaseUnused(allowance: Allowance, calls: number): void {
    this.#release(allowance, calls, this.#clock.now());
  }

  async reportInFlight({ accountId, periodStartMs }: Allowance, inFlightCalls: InFlightCalls): Promise<void> {
    const nowMs = this.#clock.now();
    const periodCount = findCount(this.#getOrCreate(accountId), periodStartMs, nowMs);
    if (periodCount !== undefined) recordInFlight(periodCount, inFlightCalls, nowMs);
  }

  async giveBack(allowance: Allowance): Promise<void> {
    const nowMs = this.#clock.now();
    const accountState = this.#release(allowance, 1, nowMs);
    if (nowMs >= accountState.givenBackUntilMs) {
      accountState.givenBack = 0;
      accountState.givenBackUntilMs = nowMs + limits.givenBackWindowMs;
    }
    accountState.givenBack++;
  }

  async undo(allowance: Allowance): Promise<void> {
    this.releaseUnused(allowance, 1);
  }

  async begin({ accountId, periodStartMs, periodEndMs }: Allowance, used: number): Promise<void> {
    const accountState = this.#getOrCreate(accountId);
    const nowMs = this.#clock.now();
    if (findCount(accountState, periodStartMs, nowMs) !== undefined) return;
    const running = accountState.counts.filter(({ untilMs }) => untilMs > nowMs);
    const untilMs = Math.max(periodEndMs, nowMs) + kernelLimits.countGraceMs;
    accountState.counts = [...running, { periodStartMs, untilMs, used, inFlight: new Map() }];
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

  #release({ accountId, periodStartMs }: Allowance, calls: number, nowMs: number): AccountState {
    const accountState = this.#getOrCreate(accountId);
    const periodCount = findCount(accountState, periodStartMs, nowMs);
    if (periodCount !== undefined) periodCount.used = Math.max(periodCount.used - calls, 0);
    return accountState;
  }

  #getOrCreate(id: string): AccountState {
    const existing = this.#accounts.get(id);
    if (existing !== undefined) return existing;
    if (this.#accounts.size >= this.#accountsMax) this.#makeRoom();
    const accountState: AccountState = {
      version: this.#newVersion(),
      counts: [],
      givenBack: 0,
      givenBackUntilMs: 0,
    };
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

function findCount({ counts }: AccountState, periodStartMs: number, nowMs: number): PeriodCount | undefined {
  for (const periodCount of counts)
    if (periodCount.periodStartMs === periodStartMs && periodCount.untilMs > nowMs) return periodCount;
  return undefined;
}

function recordInFlight({ inFlight }: PeriodCount, { processId, calls }: InFlightCalls, nowMs: number): void {
  const untilMs = nowMs + limits.inFlightLifeMs;
  const existing = inFlight.get(processId);
  if (existing === undefined) inFlight.set(processId, { calls, untilMs });
  else {
    existing.calls = calls;
    existing.untilMs = untilMs;
  }
}

function countInFlight({ inFlight, used }: PeriodCount, nowMs: number): number {
  let held = 0;
  for (const [processId, { calls, untilMs }] of inFlight)
    if (untilMs > nowMs) held += calls;
    else inFlight.delete(processId);
  return Math.min(held, used);
}
