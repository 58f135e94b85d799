import type { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { CreditStanding } from '../kernel/ports/billing.ts';
import type { Account, Period, TierId } from '../kernel/ports/records.ts';
import type { Allowance, Slots, Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { IntrusiveList } from '../lib/intrusive-list.ts';
import { CallCounter, type CountDecision } from './call-counter.ts';
import { CreditCaps } from './credit-caps.ts';
import { InFlightReporter } from './in-flight.ts';
import { limits } from './limits.ts';
import { currentPeriod, monthOf } from './period.ts';
import {
  capHeldInFlightError,
  capReachedError,
  countLostError,
  tooManyFailuresError,
} from './quota-errors.ts';
import { QuotaSlot, type SlotOrigin, type SlotSettlement } from './quota-slot.ts';
import type { Reservations } from './reservations.ts';
import { effectiveTier } from './tiers.ts';

export interface QuotaParts {
  readonly slots: Slots;
  readonly versions: Pick<Versions, 'of'>;
  readonly clock: Clock;
  /** Calls per period. */
  readonly tierLimits: Readonly<Record<TierId, number>>;
  /** The page to upgrade an account. */
  upgradeUrl(): string;
  readonly reservations: Reservations;
  /** Recorded calls of a period, stored or not. */
  recordedCalls(accountId: string, periodStartMs: number): Promise<number>;
  /** The same, plus the calls that other processes may admit before they record them. */
  recordedAndReservedCalls(accountId: string, periodStartMs: number): Promise<number>;
  /** The credits for calls past a cap. */
  creditStanding?(accountId: string, periodStartMs: number): Promise<CreditStanding>;
}

/** `version` is the account's, also in a rejection: a decision made with an older one has to be repeated. */
export type QuotaDecision =
  | { readonly outcome: 'granted'; readonly version: string; readonly slot: QuotaSlot }
  | { readonly outcome: 'refused'; readonly version: string; readonly error: () => GatewayError };

/** The usage of an account in its period. */
export interface QuotaStatus {
  readonly limit: number;
  readonly used: number;
  readonly period: Period;
}

/** Limits each account to the calls per period of its tier, exactly. */
export class Quota {
  readonly #parts: QuotaParts;
  /** Unsettled slots; a restored count has to include them. */
  readonly #openSlots = new IntrusiveList<QuotaSlot>();
  readonly #inFlight: InFlightReporter;
  readonly #counter: CallCounter;
  readonly #caps: CreditCaps | undefined;
  #month: Period = { startMs: 0, endMs: 0 };
  #unreleasedSlots = 0;

  constructor(parts: QuotaParts) {
    this.#parts = parts;
    const { slots, reservations, creditStanding } = parts;
    this.#counter = new CallCounter({
      slots,
      recordedAndReservedCalls: (accountId, periodStartMs) =>
        parts.recordedAndReservedCalls(accountId, periodStartMs),
      openSlotsHere: (allowance) => this.#countOpenSlots(allowance),
    });
    this.#caps = creditStanding && new CreditCaps(creditStanding);
    this.#inFlight = new InFlightReporter({ slots, processId: reservations.processId });
  }

  /** The number of slots taken and not released. */
  get openSlots(): number {
    return this.#openSlots.size;
  }

  /** The number of open slots whose settlement has not begun. */
  get unsettledSlots(): number {
    return this.#openSlots.snapshot().filter((quotaSlot) => !quotaSlot.isSettled).length;
  }

  /** Slots that stayed counted because the store could not be reached. */
  get unreleasedSlots(): number {
    return this.#unreleasedSlots;
  }

  /** Synchronous if the count is in this process and the reservation in the database is large enough. */
  takeSlot(account: Account): QuotaDecision | Promise<QuotaDecision> {
    const allowance = this.#allowance(account);
    const caps = account.overage === true ? this.#caps : undefined;
    if (caps === undefined || effectiveTier(account, this.#parts.clock.now()) === 'free')
      return this.#takeSlotWithRetry(allowance, undefined);
    return this.#takeSlotWithCredits(allowance, caps);
  }

  /** Credits raise the cap. The raised cap is valid for one version of the account. */
  async #takeSlotWithCredits(allowance: Allowance, caps: CreditCaps): Promise<QuotaDecision> {
    const paidPast = allowance.limit;
    for (let readings = 0; readings <= limits.countStartsMax; readings++) {
      const cap = caps.cached(allowance);
      const limit = cap?.limit ?? paidPast;
      const decision = await this.#takeSlotWithRetry({ ...allowance, limit }, paidPast);
      const { version } = decision;
      if (cap?.version === version) return decision;
      if (decision.outcome === 'granted') {
        if (decision.slot.number <= paidPast) return decision;
        void decision.slot.undo();
      }
      await caps.refresh(allowance, version);
    }
    throw countLostError();
  }

  #takeSlotWithRetry(
    allowance: Allowance,
    paidPast: number | undefined,
  ): QuotaDecision | Promise<QuotaDecision> {
    const decided = this.#tryTakeSlot(allowance, paidPast);
    return decided instanceof Promise ? this.#retryWhileCountLost(decided, allowance, paidPast) : decided;
  }

  async #retryWhileCountLost(
    tried: Promise<QuotaDecision | undefined>,
    allowance: Allowance,
    paidPast: number | undefined,
  ): Promise<QuotaDecision> {
    let decided = await tried;
    for (let starts = 1; decided === undefined && starts < limits.countStartsMax; starts++)
      decided = await this.#tryTakeSlot(allowance, paidPast);
    if (decided === undefined) throw countLostError();
    return decided;
  }

  /** Resolves to undefined if the count was lost meanwhile. */
  #tryTakeSlot(
    allowance: Allowance,
    paidPast: number | undefined,
  ): QuotaDecision | Promise<QuotaDecision | undefined> {
    const inFlight = this.#inFlight.trackerFor(allowance);
    const decide = (taken: CountDecision) => this.#decide(taken, { allowance, inFlight, paidPast });
    const taken = this.#counter.takeSlot(allowance, inFlight);
    return taken instanceof Promise ? taken.then(decide) : decide(taken);
  }

  #decide(taken: CountDecision, from: SlotRequest): QuotaDecision | Promise<QuotaDecision | undefined> {
    const { allowance, inFlight, paidPast } = from;
    if (taken.outcome !== 'granted') return this.#rejection(taken, allowance, paidPast);
    const { used: number, version } = taken;
    const quotaSlot = this.#openSlot({ allowance, inFlight, number, paidPast });
    const reserving = this.#parts.reservations.cover(quotaSlot.reserve, 1);
    const granted: QuotaDecision = { outcome: 'granted', version, slot: quotaSlot };
    if (reserving === undefined) return granted;
    return this.#isStillCounted(quotaSlot, version, reserving).then((stays) => {
      if (stays) return granted;
      quotaSlot.discard();
      return undefined;
    });
  }

  /** May miss what other replicas recorded within the last second. */
  async status(account: Account): Promise<QuotaStatus> {
    const { accountId, periodStartMs, periodEndMs, limit } = this.#allowance(account);
    const used = await this.#parts.recordedCalls(accountId, periodStartMs);
    return { limit, used, period: { startMs: periodStartMs, endMs: periodEndMs } };
  }

  #allowance(account: Account): Allowance {
    const nowMs = this.#parts.clock.now();
    const tier = effectiveTier(account, nowMs);
    const period = tier === 'free' ? undefined : account.period;
    const { startMs, endMs } = period === undefined ? this.#monthAt(nowMs) : currentPeriod(period, nowMs);
    return {
      accountId: account.id,
      periodStartMs: startMs,
      periodEndMs: endMs,
      limit: this.#parts.tierLimits[tier],
      givenBackMax: limits.givenBackPerMinute,
    };
  }

  #monthAt(nowMs: number): Period {
    if (nowMs < this.#month.startMs || nowMs >= this.#month.endMs) this.#month = monthOf(nowMs);
    return this.#month;
  }

  /** A count restored before the reservation was stored lacks the slot; the account has another version then. */
  async #isStillCounted(quotaSlot: QuotaSlot, version: string, reserving: Promise<void>): Promise<boolean> {
    try {
      await reserving;
      return (await this.#parts.versions.of(quotaSlot.accountId)) === version;
    } catch (error) {
      void quotaSlot.undo();
      throw error;
    }
  }

  #openSlot({ allowance, inFlight, number, paidPast }: Omit<SlotOrigin, 'reserve'>): QuotaSlot {
    const { accountId, periodStartMs, periodEndMs, limit } = allowance;
    const query = { accountId, of: 'calls', keyId: '', periodStartMs } as const;
    const reserve = this.#parts.reservations.reserveFor(query, periodEndMs + kernelLimits.countGraceMs);
    reserve.aheadMax = (limit - number) / limits.reservedShare;
    const quotaSlot = new QuotaSlot({ allowance, reserve, inFlight, number, paidPast }, this.#settleSlot);
    this.#openSlots.add(quotaSlot);
    return quotaSlot;
  }

  #rejection(
    taken: Exclude<CountDecision, { outcome: 'granted' }>,
    allowance: Allowance,
    paidPast: number | undefined,
  ): QuotaDecision {
    const { version } = taken;
    if (taken.outcome === 'failing')
      return { outcome: 'refused', version, error: () => tooManyFailuresError(taken.retryAfterSeconds) };
    const { used, held } = taken;
    const mayComeBack = used - held < allowance.limit;
    const error = () =>
      mayComeBack
        ? capHeldInFlightError(allowance, held)
        : capReachedError({
            allowance,
            paidPast,
            upgradeUrl: this.#parts.upgradeUrl(),
            nowMs: this.#parts.clock.now(),
          });
    return { outcome: 'refused', version, error };
  }

  /** The open slots of this process. */
  #countOpenSlots(allowance: Allowance): number {
    let open = 0;
    for (const quotaSlot of this.#openSlots.snapshot()) if (quotaSlot.belongsTo(allowance)) open++;
    return open;
  }

  readonly #settleSlot = (
    quotaSlot: QuotaSlot,
    from: SlotOrigin,
    how: SlotSettlement,
  ): void | Promise<void> => {
    this.#parts.reservations.settle(from.reserve, 1, how === 'kept' ? 1 : 0);
    if (how === 'kept' || how === 'lost') this.#removeSlot(quotaSlot, from);
    else return this.#releaseSlot(quotaSlot, from, how);
  };

  #removeSlot(quotaSlot: QuotaSlot, { inFlight }: SlotOrigin): void {
    this.#openSlots.delete(quotaSlot);
    inFlight.calls--;
  }

  async #releaseSlot(quotaSlot: QuotaSlot, from: SlotOrigin, how: 'given back' | 'undone'): Promise<void> {
    const { slots } = this.#parts;
    try {
      await (how === 'undone' ? slots.undo(from.allowance) : slots.giveBack(from.allowance));
    } catch {
      this.#unreleasedSlots++;
    }
    this.#removeSlot(quotaSlot, from);
  }
}

type SlotRequest = Omit<SlotOrigin, 'reserve' | 'number'>;
