import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { NanoUsd } from '../kernel/money.ts';
import { OpenList } from '../kernel/open-list.ts';
import type {
  AskedHold,
  Ceilings,
  HeldSum,
  HoldDecision,
  Holder,
  Purse,
  Purses,
  Spent,
  Windows,
  Wish,
} from '../kernel/ports/purse.ts';
import type { UsageBook, UsageDay } from '../kernel/ports/records.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import { within } from '../kernel/within.ts';
import { type HeldFor, OpenHold } from './open-hold.ts';
import { monthOf } from './period.ts';
import type { Reservations } from './reservations.ts';
import type { Reserve } from './reserve.ts';

interface SpendingParts {
  readonly purses: Purses;
  readonly clock: Clock;
  readonly reservations: Reservations;
  /** Usage that was recorded, stored or not. */
  days(question: Parameters<UsageBook['days']>[0]): Promise<readonly UsageDay[]>;
  readonly retryMs?: number;
  readonly renewalMs?: number;
}

interface Granted {
  readonly held: HeldSum;
  readonly spent: Spent;
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
    return { hold: (wish) => this.#hold(holder, wish, call) };
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

  async #hold(holder: Holder, wish: Wish, call: HeldFor | undefined): Promise<HoldDecision> {
    const { purses, reservations } = this.#parts;
    const windows = this.#windowsNow();
    let covered = 0;
    let asked: AskedHold = { ...wish, holder, windows };
    try {
      for (let beginnings = 0; beginnings <= limits.countBeginningsMax; ) {
        const askedAtMs = this.#parts.clock.now();
        const outcome = await purses.hold(asked);
        if (outcome.outcome === 'refused') return { ...outcome, endsAtMs: windows[outcome.window].endMs };
        if (outcome.outcome === 'uncounted') {
          beginnings++;
          await this.#begin(holder, windows);
          continue;
        }
        const { held, spent } = outcome;
        const reserve = this.#reserveOf(holder);
        reserve.aheadMax = leastLeft(wish.ceilings, spent) / limits.reservedShare;
        const reserving = covered === 0 ? reservations.cover(reserve, held.amount) : undefined;
        if (reserving === undefined) {
          if (covered > 0) reservations.settle(reserve, covered - held.amount, 0);
          covered = 0;
          return this.#granted(outcome, askedAtMs, call);
        }
        covered = held.amount;
        asked = { ...asked, amount: covered };
        // Purses may be lost and begun anew while the database is told: held again, it is in whatever is counted then.
        await Promise.all([reserving, purses.settle(held, { cost: 0, windows, again: false })]);
      }
    } finally {
      if (covered > 0) reservations.settle(this.#reserveOf(holder), covered, 0);
    }
    throw unavailable('the count of what was spent is lost as soon as it is begun');
  }

  #granted({ held, spent }: Granted, heldAtMs: number, call: HeldFor | undefined): HoldDecision {
    const hold = new OpenHold({ held, heldAtMs, call }, this.#settle);
    this.#open.add(hold);
    this.#watch();
    return { outcome: 'granted', hold, spent };
  }

  #reserveOf({ accountId, keyId }: Holder): Reserve {
    return this.#parts.reservations.of({ accountId, of: 'spending', keyId, periodStartMs: 0 });
  }

  /** Where the store can't be told it is told later: the call is over, and its cost counts. */
  readonly #settle = async (hold: OpenHold, cost: NanoUsd, again: boolean): Promise<void> => {
    if (!again) this.#parts.reservations.settle(this.#reserveOf(hold.held.holder), hold.amount, cost);
    const { purses, clock } = this.#parts;
    try {
      await purses.settle(hold.held, {
        cost,
        windows: this.#windowsNow(),
        again: again || hold.mayBeOver(clock.now()),
      });
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
    await Promise.all(own.map((hold) => this.#renew(hold)));
    const spent = await this.#recorded(holder, windows);
    await purses.begin(holder, windows, spent);
  }

  /** What others have reserved is read first: what they store meanwhile is there twice, and never missing. */
  async #recorded({ accountId, keyId }: Holder, { day, month }: Windows): Promise<Spent> {
    const today = nameOf(day.startMs);
    const question = { accountId, of: 'spending', keyId, periodStartMs: 0 } as const;
    const reserved = await this.#parts.reservations.elsewhere(question);
    const rows = await this.#parts.days({ accountId, from: nameOf(month.startMs), to: today });
    const spent = { day: 0, month: 0 };
    for (const { amount, atMs } of reserved) {
      // What is open across midnight is written anew within a minute.
      const untilMs = atMs + 2 * limits.reservationRenewalMs;
      if (untilMs >= month.startMs) spent.month += amount;
      if (untilMs >= day.startMs) spent.day += amount;
    }
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
    const { clock, renewalMs = limits.holdRenewalMs } = this.#parts;
    const dueBeforeMs = performance.now() - renewalMs;
    for (const hold of this.#open.snapshot()) {
      if (hold.isSettled) hold.retry();
      // One that fails is tried again after the next pause, ten times before the hold is over: put back, it would count twice.
      else if (!hold.mayBeOver(clock.now()) && hold.takeTurn(dueBeforeMs))
        this.#renew(hold).catch(() => undefined);
    }
  }

  async #renew(hold: OpenHold): Promise<void> {
    const { purses, clock } = this.#parts;
    const askedAtMs = clock.now();
    await purses.renew(hold.held);
    hold.renewed(askedAtMs);
  }
}

/** `2026-11-15`. */
function nameOf(dayStartMs: number): string {
  return new Date(dayStartMs).toISOString().slice(0, 10);
}

function leastLeft({ day, month }: Ceilings, spent: Spent): NanoUsd {
  const left = [day, month].map((ceiling, at) =>
    ceiling === undefined ? Number.POSITIVE_INFINITY : ceiling - (at === 0 ? spent.day : spent.month),
  );
  return Math.max(0, Math.min(...left));
}
