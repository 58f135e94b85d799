import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Allowance, Slots, Taken, UnderWay, Versions } from '../../kernel/ports/shared-state.ts';

/** One account's calls in one period. */
interface Count {
  readonly periodStartMs: number;
  readonly untilMs: number;
  used: number;
  /** By process. */
  readonly underWay: Map<string, Held>;
}

interface Held {
  calls: number;
  untilMs: number;
}

interface Kept {
  version: string;
  /** One, and two around the end of a period. */
  counts: readonly Count[];
  givenBack: number;
  givenBackUntilMs: number;
}

/** Counts and versions of accounts. What is forgotten is counted from the database and looked up again. */
export class MemoryAccounts implements Slots, Versions {
  readonly #clock: Clock;
  readonly #accountsMax: number;
  readonly #accounts = new Map<string, Kept>();
  readonly #life = randomBytes(6).toString('base64url');
  #versionsMade = 0;

  constructor(clock: Clock, accountsMax: number = limits.countedAccountsMax) {
    this.#clock = clock;
    this.#accountsMax = accountsMax;
  }

  /** Accounts that are remembered. */
  get size(): number {
    return this.#accounts.size;
  }

  take({ accountId, periodStartMs, limit, givenBackMax }: Allowance, underWay?: UnderWay): Taken {
    const kept = this.#account(accountId);
    const { version } = kept;
    const nowMs = this.#clock.now();
    if (kept.givenBack >= givenBackMax) {
      const leftMs = kept.givenBackUntilMs - nowMs;
      if (leftMs > 0) return { outcome: 'failing', retryAfterSeconds: Math.ceil(leftMs / 1000), version };
    }
    const count = countOf(kept, periodStartMs, nowMs);
    if (count === undefined) return { outcome: 'uncounted', version };
    if (count.used >= limit) {
      if (underWay !== undefined) noteUnderWay(count, { ...underWay, calls: underWay.calls - 1 }, nowMs);
      return { outcome: 'full', used: count.used, held: heldOf(count, nowMs), version };
    }
    if (underWay !== undefined) noteUnderWay(count, underWay, nowMs);
    return { outcome: 'granted', used: ++count.used, version };
  }

  /** So many more of a count of which one was just granted. */
  takeMore({ accountId, periodStartMs }: Allowance, calls: number): void {
    const count = countOf(this.#account(accountId), periodStartMs, this.#clock.now());
    if (count !== undefined) count.used += calls;
  }

  /** Slots that no call was made on. */
  giveUp(allowance: Allowance, calls: number): void {
    this.#release(allowance, calls, this.#clock.now());
  }

  async tell({ accountId, periodStartMs }: Allowance, underWay: UnderWay): Promise<void> {
    const nowMs = this.#clock.now();
    const count = countOf(this.#account(accountId), periodStartMs, nowMs);
    if (count !== undefined) noteUnderWay(count, underWay, nowMs);
  }

  async giveBack(allowance: Allowance): Promise<void> {
    const nowMs = this.#clock.now();
    const kept = this.#release(allowance, 1, nowMs);
    if (nowMs >= kept.givenBackUntilMs) {
      kept.givenBack = 0;
      kept.givenBackUntilMs = nowMs + limits.givenBackWindowMs;
    }
    kept.givenBack++;
  }

  async undo(allowance: Allowance): Promise<void> {
    this.giveUp(allowance, 1);
  }

  async begin({ accountId, periodStartMs, periodEndMs }: Allowance, used: number): Promise<void> {
    const kept = this.#account(accountId);
    const nowMs = this.#clock.now();
    if (countOf(kept, periodStartMs, nowMs) !== undefined) return;
    const running = kept.counts.filter(({ untilMs }) => untilMs > nowMs);
    const untilMs = Math.max(periodEndMs, nowMs) + limits.countGraceMs;
    kept.counts = [...running, { periodStartMs, untilMs, used, underWay: new Map() }];
  }

  of(accountId: string): string {
    return this.#account(accountId).version;
  }

  async renew(accountId: string): Promise<void> {
    this.#account(accountId).version = this.#newVersion();
  }

  erase(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  #release({ accountId, periodStartMs }: Allowance, calls: number, nowMs: number): Kept {
    const kept = this.#account(accountId);
    const count = countOf(kept, periodStartMs, nowMs);
    if (count !== undefined) count.used = Math.max(count.used - calls, 0);
    return kept;
  }

  #account(id: string): Kept {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    if (this.#accounts.size >= this.#accountsMax) this.#makeRoom();
    const kept: Kept = { version: this.#newVersion(), counts: [], givenBack: 0, givenBackUntilMs: 0 };
    this.#accounts.set(id, kept);
    return kept;
  }

  /** Those whose periods are over go first, then the oldest; a tenth at least, so that this is rare. */
  #makeRoom(): void {
    const nowMs = this.#clock.now();
    for (const [id, { counts, givenBackUntilMs }] of this.#accounts)
      if (givenBackUntilMs <= nowMs && counts.every(({ untilMs }) => untilMs <= nowMs))
        this.#accounts.delete(id);
    const roomFor = Math.floor(this.#accountsMax * 0.9);
    for (const id of this.#accounts.keys()) {
      if (this.#accounts.size <= roomFor) break;
      this.#accounts.delete(id);
    }
  }

  #newVersion(): string {
    return `${this.#life}.${this.#versionsMade++}`;
  }
}

function countOf({ counts }: Kept, periodStartMs: number, nowMs: number): Count | undefined {
  for (const count of counts)
    if (count.periodStartMs === periodStartMs && count.untilMs > nowMs) return count;
  return undefined;
}

function noteUnderWay({ underWay }: Count, { processId, calls }: UnderWay, nowMs: number): void {
  const untilMs = nowMs + limits.underWayLifeMs;
  const known = underWay.get(processId);
  if (known === undefined) underWay.set(processId, { calls, untilMs });
  else {
    known.calls = calls;
    known.untilMs = untilMs;
  }
}

function heldOf({ underWay, used }: Count, nowMs: number): number {
  let held = 0;
  for (const [processId, { calls, untilMs }] of underWay)
    if (untilMs > nowMs) held += calls;
    else underWay.delete(processId);
  return Math.min(held, used);
}
