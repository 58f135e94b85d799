import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type {
  AskedHold,
  HeldSum,
  Holder,
  HoldOutcome,
  Purses,
  Settlement,
  Spent,
  Windows,
} from '../../kernel/ports/purse.ts';
import { MemoryPurse } from './memory-purse.ts';

/** The purses of a gateway that is one process. */
export class MemoryPurses implements Purses {
  readonly #clock: Clock;
  readonly #pursesMax: number;
  readonly #purses = new Map<string, MemoryPurse>();

  constructor(clock: Clock, pursesMax: number = limits.pursesMax) {
    this.#clock = clock;
    this.#pursesMax = pursesMax;
  }

  /** Purses that are remembered. */
  get size(): number {
    return this.#purses.size;
  }

  async hold(asked: AskedHold): Promise<HoldOutcome> {
    const nowMs = this.#clock.now();
    const purse = this.#purses.get(nameOf(asked.holder));
    if (purse === undefined || purse.isIdle(nowMs)) return { outcome: 'uncounted' };
    return purse.hold(asked, nowMs);
  }

  async settle(held: HeldSum, settlement: Settlement): Promise<void> {
    this.#purses.get(nameOf(held.holder))?.settle(held.id, settlement, this.#clock.now());
  }

  async renew(held: HeldSum): Promise<void> {
    this.#purses.get(nameOf(held.holder))?.renew(held.id, this.#clock.now());
  }

  async begin(holder: Holder, windows: Windows, spent: Spent): Promise<void> {
    const name = nameOf(holder);
    const nowMs = this.#clock.now();
    if (this.#purses.get(name)?.isIdle(nowMs) === false) return;
    if (this.#purses.size >= this.#pursesMax) this.#makeRoom(nowMs);
    this.#purses.set(name, new MemoryPurse(windows, spent, nowMs));
  }

  /** What still holds something is gone when it is idle. */
  erase(accountId: string): void {
    const beginning = nameOf({ accountId, keyId: '' });
    for (const [name, purse] of this.#purses)
      if (name.startsWith(beginning) && !purse.isHolding) this.#purses.delete(name);
  }

  /** Idle ones go first, then those that hold nothing, the oldest first; a tenth at least, so that this is rare. */
  #makeRoom(nowMs: number): void {
    for (const [name, purse] of this.#purses) if (purse.isIdle(nowMs)) this.#purses.delete(name);
    const roomFor = Math.floor(this.#pursesMax * 0.9);
    for (const [name, purse] of this.#purses) {
      if (this.#purses.size <= roomFor) break;
      if (!purse.isHolding) this.#purses.delete(name);
    }
  }
}

function nameOf({ accountId, keyId }: Holder): string {
  return `${accountId}\n${keyId}`;
}
