import type { NanoUsd } from '../kernel/money.ts';
import {
  type Budget,
  type BudgetHolder,
  type BudgetHoldRequest,
  type BudgetState,
  type Budgets,
  type BudgetWindows,
  type CallBudget,
  type Ceilings,
  type HeldAmount,
  type HoldDecision,
  type HoldRequest,
  holderOf,
  type SpendingListener,
  type SpentByWindow,
} from '../kernel/ports/budget.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../lib/clock.ts';
import { IntrusiveList } from '../lib/intrusive-list.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { CurrentWindows, endOfWindow } from './current-windows.ts';
import { limits } from './limits.ts';
import { type HoldCall, OpenHold, type OpenHoldParts } from './open-hold.ts';
import type { Reservations } from './reservations.ts';
import type { Reserve } from './reserve.ts';
import { StoredSpending, type StoredSpendingParts, sharingQueries } from './stored-spending.ts';
import { mayFitLater, Waiter, WaitingHolds } from './waiting-holds.ts';

interface SpendingLimiterParts extends StoredSpendingParts {
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly reservations: Reservations;
  /**
   * Called after each settlement, and with each refusal that holds of other calls did not cause. Not for calls in an airgap: the next call
   * without one finds what they have spent.
   */
  readonly listener?: SpendingListener | undefined;
  readonly retryMs?: number;
  readonly renewalMs?: number;
}

/** The budget of a key in the current day and month. */
export interface KeyBudgetState extends BudgetState {
  readonly windows: BudgetWindows;
}

interface GrantedHold {
  readonly held: HeldAmount;
  readonly spent: SpentByWindow;
}

/** Keeps keys below their ceilings: holds the maximum cost of a call before it is made, and settles it however it ends. */
export class SpendingLimiter {
  readonly #parts: SpendingLimiterParts;
  readonly #openHolds = new IntrusiveList<OpenHold>();
  readonly #waitingHolds = new WaitingHolds();
  readonly #initializing = new Map<string, Promise<void>>();
  readonly #windows: CurrentWindows;
  readonly #stored: StoredSpending;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SpendingLimiterParts) {
    this.#parts = parts;
    this.#windows = new CurrentWindows(parts.clock);
    this.#stored = new StoredSpending(parts);
  }

  /** The number of holds not settled in the store yet. */
  get openHolds(): number {
    return this.#openHolds.size;
  }

  /** Holds whose call has ended without settling them: there must be none. */
  get orphanedHolds(): number {
    return this.#openHolds.snapshot().filter((hold) => hold.isOrphaned).length;
  }

  budgetFor(keyHolder: BudgetHolder, call?: HoldCall, ofCall: readonly CallBudget[] = []): Budget {
    return {
      ofCall,
      hold: async (request, wait) => {
        const budgetHolder = holderOf(keyHolder, request);
        const tryToHold = () => this.#hold(budgetHolder, request, call);
        let decision = await tryToHold();
        if (decision.outcome === 'refused' && wait !== undefined && mayFitLater(decision, request))
          decision = await this.#waitingHolds.wait(
            budgetHolder,
            new Waiter(request, { wait, refused: decision, tryToHold }),
          );
        if (decision.outcome === 'refused' && !mayFitLater(decision, request))
          if (call?.isAirgapped !== true) this.#reportRefusal(budgetHolder, request, decision);
        return decision;
      },
    };
  }

  /** Those without a count in the store have no calls in flight: the database has all that they spent. */
  async statesOf(budgetHolders: readonly BudgetHolder[]): Promise<readonly KeyBudgetState[]> {
    const stored = new StoredSpending(sharingQueries(this.#parts));
    return Promise.all(
      budgetHolders.map(async (budgetHolder) => {
        const windows = this.windowsOf(budgetHolder);
        const counted = await this.#parts.budgets.read(budgetHolder, windows);
        return {
          windows,
          ...(counted ?? { spent: await stored.read(budgetHolder, windows), held: 0 }),
        };
      }),
    );
  }

  /** The same for one holder. */
  async stateOf(budgetHolder: BudgetHolder): Promise<KeyBudgetState> {
    const windows = this.windowsOf(budgetHolder);
    const counted = await this.#parts.budgets.read(budgetHolder, windows);
    return {
      windows,
      ...(counted ?? { spent: await this.#stored.read(budgetHolder, windows), held: 0 }),
    };
  }

  windowsOf({ callBudget }: BudgetHolder): BudgetWindows {
    return this.#windows.of(callBudget?.budget.period);
  }

  /** The next hold reads from the database what was spent. Called when usage was stored that no hold of this gateway settles. */
  async forgetCount(budgetHolder: BudgetHolder): Promise<void> {
    await this.#parts.budgets.forget(budgetHolder);
    this.#waitingHolds.wake(budgetHolder);
  }

  /** A reservation that outlives the process has what this call holds: the process reserves it no longer. */
  async handOver(call: HoldCall): Promise<void> {
    const { reservations } = this.#parts;
    for (const hold of this.#openHolds.snapshot())
      if (hold.handOver(call)) await reservations.release(this.#reserveOf(hold.held.holder), hold.amount);
  }

  /** Waits for pending settlements; false if some did not finish in time. */
  async close(withinMs: number): Promise<boolean> {
    this.#stopTimer();
    const settled = Promise.all(this.#openHolds.snapshot().map((hold) => hold.whenSettled()));
    return withTimeout(settled, withinMs, () => new Error('some costs were not settled in time')).then(
      () => this.#openHolds.size === 0,
      () => false,
    );
  }

  async #hold(
    budgetHolder: BudgetHolder,
    holdRequest: HoldRequest,
    call: HoldCall | undefined,
  ): Promise<HoldDecision> {
    const { budgets, reservations } = this.#parts;
    const budgetWindows = this.windowsOf(budgetHolder);
    let covered = 0;
    let request: BudgetHoldRequest = { ...holdRequest, holder: budgetHolder, windows: budgetWindows };
    try {
      for (let starts = 0; starts <= limits.countStartsMax; ) {
        const askedAtMs = this.#parts.clock.now();
        const outcome = await budgets.hold(request);
        if (outcome.outcome === 'refused')
          return { ...outcome, endsAtMs: endOfWindow(outcome, budgetWindows) };
        if (outcome.outcome === 'uncounted') {
          starts++;
          await this.#initializeCount(budgetHolder, budgetWindows);
          continue;
        }
        const { held, spent: spentByWindow } = outcome;
        const reserve = this.#reserveOf(budgetHolder);
        reserve.aheadMax = remainingMin(holdRequest.ceilings, spentByWindow) / limits.reservedShare;
        const reserving = covered === 0 ? reservations.cover(reserve, held.amount) : undefined;
        if (reserving === undefined) {
          if (covered > 0) reservations.settle(reserve, covered - held.amount, 0);
          covered = 0;
          return this.#openHold(outcome, { heldAtMs: askedAtMs, call, ceilings: holdRequest.ceilings });
        }
        covered = held.amount;
        request = { ...request, amount: covered };
        // The budget may be lost and restored during the write. A new hold after it is in whichever budget exists then.
        await Promise.all([
          reserving,
          budgets.settle(held, { cost: 0, windows: budgetWindows, isRetry: false }),
        ]);
      }
    } finally {
      if (covered > 0) reservations.settle(this.#reserveOf(budgetHolder), covered, 0);
    }
    throw storageUnavailable('the spending counter keeps getting lost');
  }

  #openHold(
    { held, spent: spentByWindow }: GrantedHold,
    origin: Pick<OpenHoldParts, 'heldAtMs' | 'call' | 'ceilings'>,
  ): HoldDecision {
    const hold = new OpenHold({ held, ...origin }, this.#settleHold);
    this.#openHolds.add(hold);
    this.#startTimer();
    return { outcome: 'granted', hold, spent: spentByWindow };
  }

  #reportRefusal(
    budgetHolder: BudgetHolder,
    { ceilings }: HoldRequest,
    { window, spent }: Extract<HoldDecision, { outcome: 'refused' }>,
  ): void {
    const ceiling = ceilings[window];
    if (ceiling === undefined) return;
    const windows = this.windowsOf(budgetHolder);
    const period = windows[window] ?? windows.day;
    this.#parts.listener?.onRefused(budgetHolder, { window, ceiling, spent, period });
  }

  #reserveOf({ accountId, keyId }: BudgetHolder): Reserve {
    return this.#parts.reservations.reserveFor({ accountId, of: 'spending', keyId, periodStartMs: 0 });
  }

  /** If the store can't be reached, retries later: the call has ended, and its cost counts. */
  readonly #settleHold = async (hold: OpenHold, cost: NanoUsd, again: boolean): Promise<void> => {
    if (!again && !hold.isReservedElsewhere)
      this.#parts.reservations.settle(this.#reserveOf(hold.held.holder), hold.amount, cost);
    const { budgets, clock, listener } = this.#parts;
    const windows = this.windowsOf(hold.held.holder);
    try {
      const spent = await budgets.settle(hold.held, {
        cost,
        windows,
        isRetry: again || hold.mayHaveExpired(clock.now()),
      });
      if (spent !== undefined && !hold.isAirgapped)
        listener?.onSpent(hold.held.holder, hold.ceilings, { spent, windows });
      this.#openHolds.delete(hold);
      this.#waitingHolds.wake(hold.held.holder);
    } catch {
      hold.markSettleFailed();
    }
  };

  /** Concurrent callers share one database query. */
  #initializeCount(budgetHolder: BudgetHolder, budgetWindows: BudgetWindows): Promise<void> {
    const name = `${budgetHolder.accountId}\n${budgetHolder.keyId}`;
    const running = this.#initializing.get(name);
    if (running !== undefined) return running;
    const starting = this.#initializeFromDatabase(budgetHolder, budgetWindows).finally(() =>
      this.#initializing.delete(name),
    );
    this.#initializing.set(name, starting);
    return starting;
  }

  /** Renews the holds of this process first, so that no count lacks them; other processes renew theirs within a minute. */
  async #initializeFromDatabase(budgetHolder: BudgetHolder, budgetWindows: BudgetWindows): Promise<void> {
    const { budgets } = this.#parts;
    const own = this.#openHolds.snapshot().filter((hold) => hold.belongsTo(budgetHolder) && !hold.isSettled);
    await Promise.all(own.map((hold) => this.#renewHold(hold)));
    const spentBefore = await this.#stored.readWithReservations(budgetHolder, budgetWindows);
    await budgets.begin(budgetHolder, budgetWindows, spentBefore);
  }

  #startTimer(): void {
    this.#timer ??= setInterval(
      () => this.#renewAndRetry(),
      this.#parts.retryMs ?? limits.settleRetryMs,
    ).unref();
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Renews holds of long calls, and retries failed settlements. */
  #renewAndRetry(): void {
    if (this.#openHolds.size === 0) this.#stopTimer();
    const { clock, renewalMs = limits.holdRenewalMs } = this.#parts;
    const dueBeforeMs = performance.now() - renewalMs;
    for (const hold of this.#openHolds.snapshot()) {
      if (hold.isSettled) hold.retry();
      // A failed renewal is retried at each interval, ten times before the hold expires. An expired hold must not be
      // restored: it would count twice.
      else if (!hold.mayHaveExpired(clock.now()) && hold.claimRenewal(dueBeforeMs))
        this.#renewHold(hold).catch(() => undefined);
    }
  }

  async #renewHold(hold: OpenHold): Promise<void> {
    const { budgets, clock } = this.#parts;
    const askedAtMs = clock.now();
    await budgets.renew(hold.held);
    hold.markRenewed(askedAtMs);
  }
}

function remainingMin(ceilings: Ceilings, spent: SpentByWindow): NanoUsd {
  const left = (['day', 'month', 'rolling'] as const).map(
    (window) => (ceilings[window] ?? Number.POSITIVE_INFINITY) - (spent[window] ?? 0),
  );
  return Math.max(0, Math.min(...left));
}
