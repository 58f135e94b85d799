import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { NanoUsd } from '../kernel/money.ts';
import { OpenList } from '../kernel/open-list.ts';
import type {
  AskedHold,
  HoldDecision,
  Holder,
  Purse,
  Purses,
  Spent,
  Windows,
} from '../kernel/ports/purse.ts';
import type { UsageBook, UsageDay } from '../kernel/ports/records.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import { within } from '../kernel/within.ts';
import { type HeldFor, OpenHold } from './open-hold.ts';
import { monthOf } from './period.ts';

interface SpendingParts {
  readonly purses: Purses;
  readonly clock: Clock;
  /** Usage that was recorded, stored or not. */
  days(question: Parameters<UsageBook['days']>[0]): Promise<readonly UsageDay[]>;
  readonly retryMs?: number;
  readonly renewalMs?: number;
}

const dayMs = 86_400_000;

/** Keeps keys below their ceilings: what a call may cost is held before it is made, and settled however it ends. */
export class Spending {
  readonly #parts: SpendingParts;
  readonly #open = new OpenList<OpenHold>();
  readonly #beginning = new Map<string, Promise<void>>();
  #windows: Windows | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SpendingParts) {
    this.#parts = parts;
  }

  /** Holds that are not settled, or whose settlement the store doesn't know of yet. */
  get open(): number {
    return this.#open.size;
  }

  /** Holds whose call has ended without them: there must be none. */
  get orphaned(): number {
    return this.#open.snapshot().filter((hold) => hold.isOrphaned).length;
  }

  purse(holder: Holder, call?: HeldFor): Purse {
    return { hold: (wish) => this.#hold({ ...wish, holder, windows: this.#windowsNow() }, call) };
  }

  /** Waits for settlements that are on their way; false where some didn't arrive in time. */
  async close(withinMs: number): Promise<boolean> {
    this.#stopWatching();
    const settled = Promise.all(this.#open.snapshot().map((hold) => hold.settled()));
    return within(settled, withinMs, () => new Error('some costs were not settled in time')).then(
      () => this.#open.size === 0,
      () => false,
    );
  }

  async #hold(asked: AskedHold, call: HeldFor | undefined): Promise<HoldDecision> {
    const { holder, windows } = asked;
    for (let beginnings = 0; beginnings <= limits.countBeginningsMax; beginnings++) {
      const outcome = await this.#parts.purses.hold(asked);
      switch (outcome.outcome) {
        case 'granted': {
          const hold = new OpenHold(outcome.held, this.#settle, call);
          this.#open.add(hold);
          this.#watch();
          return { outcome: 'granted', hold, spent: outcome.spent };
        }
        case 'refused':
          return { ...outcome, endsAtMs: windows[outcome.window].endMs };
        case 'uncounted':
          await this.#begin(holder, windows);
      }
    }
    throw unavailable('the count of what was spent is lost as soon as it is begun');
  }

  /** Where the store can't be told it is told later: the call is over, and its cost counts. */
  readonly #settle = async (hold: OpenHold, cost: NanoUsd, again: boolean): Promise<void> => {
    try {
      await this.#parts.purses.settle(hold.held, { cost, windows: this.#windowsNow(), again });
      this.#open.delete(hold);
    } catch {
      hold.owes();
    }
  };

  /** Those who need the same count wait for one question to the database. */
  #begin(holder: Holder, windows: Windows): Promise<void> {
    const name = `${holder.accountId}\n${holder.keyId}`;
    const running = this.#beginning.get(name);
    if (running !== undefined) return running;
    const beginning = this.#beginFromDatabase(holder, windows).finally(() => this.#beginning.delete(name));
    this.#beginning.set(name, beginning);
    return beginning;
  }

  /** What is held here goes first, so that nobody finds a count without it; other processes renew theirs in a minute. */
  async #beginFromDatabase(holder: Holder, windows: Windows): Promise<void> {
    const { purses } = this.#parts;
    const own = this.#open.snapshot().filter((hold) => hold.isOf(holder) && !hold.isSettled);
    await Promise.all(own.map(({ held }) => purses.renew(held)));
    const spent = await this.#recorded(holder, windows);
    await purses.begin(holder, windows, spent);
  }

  async #recorded({ accountId, keyId }: Holder, { day, month }: Windows): Promise<Spent> {
    const today = nameOf(day.startMs);
    const rows = await this.#parts.days({ accountId, from: nameOf(month.startMs), to: today });
    const spent = { day: 0, month: 0 };
    for (const row of rows) {
      if (row.keyId !== keyId) continue;
      spent.month += row.costNanoUsd;
      if (row.day === today) spent.day += row.costNanoUsd;
    }
    return spent;
  }

  #windowsNow(): Windows {
    const nowMs = this.#parts.clock.now();
    const known = this.#windows;
    if (known !== undefined && nowMs >= known.day.startMs && nowMs < known.day.endMs) return known;
    const startMs = Math.floor(nowMs / dayMs) * dayMs;
    this.#windows = { day: { startMs, endMs: startMs + dayMs }, month: monthOf(nowMs) };
    return this.#windows;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#parts.retryMs ?? limits.settleRetryMs).unref();
  }

  #stopWatching(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Renews holds of long calls, and settles once more what the store could not be told. */
  #look(): void {
    if (this.#open.size === 0) this.#stopWatching();
    const { purses, renewalMs = limits.holdRenewalMs } = this.#parts;
    const dueBeforeMs = performance.now() - renewalMs;
    for (const hold of this.#open.snapshot()) {
      if (hold.isSettled) hold.retry();
      // One that fails is tried again after the next pause, ten times before the hold is over.
      else if (hold.takeTurn(dueBeforeMs)) purses.renew(hold.held).catch(() => undefined);
    }
  }
}

/** `2026-11-15`. */
function nameOf(dayStartMs: number): string {
  return new Date(dayStartMs).toISOString().slice(0, 10);
}
