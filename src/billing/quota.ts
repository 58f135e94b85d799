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
  /** Called with each call that is refused because its account has none left. It must not throw. */
  onCapReached?(allowance: Allowance): void;
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

/**
 * Limits each account to the calls per period of its tier, exactly. `takeSlot` counts a call in the shared store and
 * reserves it in the database, or refuses it. A granted slot stays counted if the call commits it; otherwise it is
 * given back to the store.
 */
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

  /** Admits a call and counts it, or refuses it. */
  takeSlot(account: Account): Promise<QuotaDecision> {
    const allowance = this.#allowanceOf(account);
    const caps = account.overage === true ? this.#caps : undefined;
    if (caps === undefined || effectiveTier(account, this.#parts.clock.now()) === 'free')
      return this.#takeSlotWithin(allowance);
    return this.#takeSlotWithCredits(allowance, caps);
  }

  /** May miss what other replicas recorded within the last second. */
  async status(account: Account): Promise<QuotaStatus> {
    const { accountId, periodStartMs, periodEndMs, limit } = this.#allowanceOf(account);
    const used = await this.#parts.recordedCalls(accountId, periodStartMs);
    return { limit, used, period: { startMs: periodStartMs, endMs: periodEndMs } };
  }

  /** The number of slots taken and not released. */
  get openSlots(): number {
    return this.#openSlots.size;
  }

  /** The number of open slots whose settlement has not begun. */
  get unsettledSlots(): number {
    return this.#openSlots.snapshot().filter((slot) => !slot.isSettled).length;
  }

  /** Slots that stayed counted because the store could not be reached. */
  get unreleasedSlots(): number {
    return this.#unreleasedSlots;
  }

  #allowanceOf(account: Account): Allowance {
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

  /** Credits raise the limit of the tier. The raised limit is valid for one version of the account. */
  async #takeSlotWithCredits(allowance: Allowance, caps: CreditCaps): Promise<QuotaDecision> {
    const tierLimit = allowance.limit;
    for (let readings = 0; readings <= limits.countStartsMax; readings++) {
      const cap = caps.cached(allowance);
      const decision = await this.#takeSlotWithin(
        { ...allowance, limit: cap?.limit ?? tierLimit },
        tierLimit,
      );
      const { outcome, version } = decision;
      if (cap?.version === version || (outcome === 'granted' && decision.slot.number <= tierLimit))
        return decision;
      if (outcome === 'granted') void decision.slot.undo();
      await caps.refresh(allowance, version);
    }
    throw countLostError();
  }

  /** Counts a call and reserves it; starts again if the count is lost in between. Credits pay for calls past `paidPast`. */
  async #takeSlotWithin(allowance: Allowance, paidPast?: number): Promise<QuotaDecision> {
    for (let starts = 0; starts < limits.countStartsMax; starts++) {
      const inFlight = this.#inFlight.trackerFor(allowance);
      const count = await this.#counter.takeSlot(allowance, inFlight);
      const { version } = count;
      if (count.outcome !== 'granted')
        return { outcome: 'refused', version, error: () => this.#refusal(count, allowance, paidPast) };
      const slot = this.#openSlot({ allowance, inFlight, number: count.used, paidPast });
      const storing = this.#parts.reservations.cover(slot.reserve, 1);
      if (storing === undefined || (await this.#isStillCounted(slot, version, storing)))
        return { outcome: 'granted', version, slot };
      slot.discard();
    }
    throw countLostError();
  }

  #openSlot({ allowance, inFlight, number, paidPast }: Omit<SlotOrigin, 'reserve'>): QuotaSlot {
    const { accountId, periodStartMs, periodEndMs, limit } = allowance;
    const query = { accountId, of: 'calls', keyId: '', periodStartMs } as const;
    const reserve = this.#parts.reservations.reserveFor(query, periodEndMs + kernelLimits.countGraceMs);
    reserve.aheadMax = (limit - number) / limits.reservedShare;
    const slot = new QuotaSlot({ allowance, reserve, inFlight, number, paidPast }, this.#settleSlot);
    this.#openSlots.add(slot);
    return slot;
  }

  /** A count restored before the reservation was stored lacks the slot; the account has another version then. */
  async #isStillCounted(slot: QuotaSlot, version: string, storing: Promise<void>): Promise<boolean> {
    try {
      await storing;
      return (await this.#parts.versions.of(slot.accountId)) === version;
    } catch (error) {
      void slot.undo();
      throw error;
    }
  }

  #refusal(count: Refusal, allowance: Allowance, paidPast: number | undefined): GatewayError {
    if (count.outcome === 'failing') return tooManyFailuresError(count.retryAfterSeconds);
    const { used, held } = count;
    if (used - held < allowance.limit) return capHeldInFlightError(allowance, held);
    this.#parts.onCapReached?.(allowance);
    const upgradeUrl = this.#parts.upgradeUrl();
    return capReachedError({ allowance, paidPast, upgradeUrl, nowMs: this.#parts.clock.now() });
  }

  /** Runs once for each slot, synchronously if the call stays counted. */
  readonly #settleSlot = async (slot: QuotaSlot, from: SlotOrigin, how: SlotSettlement): Promise<void> => {
    this.#parts.reservations.settle(from.reserve, 1, how === 'kept' ? 1 : 0);
    if (how === 'given back' || how === 'undone') await this.#uncount(from.allowance, how);
    this.#openSlots.delete(slot);
    from.inFlight.calls--;
  };

  async #uncount(allowance: Allowance, how: 'given back' | 'undone'): Promise<void> {
    const { slots } = this.#parts;
    try {
      await (how === 'undone' ? slots.undo(allowance) : slots.giveBack(allowance));
    } catch {
      this.#unreleasedSlots++;
    }
  }

  /** The open slots of this process. */
  #countOpenSlots(allowance: Allowance): number {
    return this.#openSlots.snapshot().filter((slot) => slot.belongsTo(allowance)).length;
  }
}

type Refusal = Exclude<CountDecision, { outcome: 'granted' }>;
