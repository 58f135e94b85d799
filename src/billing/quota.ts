import type { Clock } from '../kernel/clock.ts';
import type { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { OpenList } from '../kernel/open-list.ts';
import type { CreditStanding } from '../kernel/ports/billing.ts';
import type { Account, Period, TierId } from '../kernel/ports/records.ts';
import type { Allowance, Slots, Versions } from '../kernel/ports/shared-state.ts';
import { CallCount, type Counted } from './call-count.ts';
import { CreditCaps } from './credit-caps.ts';
import { monthOf, runningPeriod } from './period.ts';
import { allHeld, capReached, countLost, tooManyFailures } from './quota-refusals.ts';
import type { Reservations } from './reservations.ts';
import { type Settling, Slot, type TakenFrom } from './slot.ts';
import { effectiveTier } from './tiers.ts';
import { UnderWayTelling } from './under-way.ts';

export interface QuotaParts {
  readonly slots: Slots;
  readonly versions: Pick<Versions, 'of'>;
  readonly clock: Clock;
  /** Calls in a period. */
  readonly tierLimits: Readonly<Record<TierId, number>>;
  /** Where an account can be given a larger tier. */
  upgradeUrl(): string;
  readonly reservations: Reservations;
  /** Calls of a period that were recorded, stored or not. */
  counted(accountId: string, periodStartMs: number): Promise<number>;
  /** Those, and what other processes may let through before they record it. */
  claimed(accountId: string, periodStartMs: number): Promise<number>;
  /** What can pay for calls past a cap. */
  creditStanding?(accountId: string, periodStartMs: number): Promise<CreditStanding>;
}

/** `version` is the account's, also of a refusal: whoever judged by an older one has to judge again. */
export type QuotaDecision =
  | { readonly outcome: 'granted'; readonly version: string; readonly slot: Slot }
  | { readonly outcome: 'refused'; readonly version: string; readonly error: () => GatewayError };

/** Where an account stands in its period. */
export interface Standing {
  readonly limit: number;
  readonly used: number;
  readonly period: Period;
}

/** Lets each account make as many calls in a period as its tier has, and not one more. */
export class Quota {
  readonly #parts: QuotaParts;
  /** Slots that are not settled; a count that is begun anew has to know of them. */
  readonly #open = new OpenList<Slot>();
  readonly #telling: UnderWayTelling;
  readonly #count: CallCount;
  readonly #caps: CreditCaps | undefined;
  #month: Period = { startMs: 0, endMs: 0 };
  #notGivenBack = 0;

  constructor(parts: QuotaParts) {
    this.#parts = parts;
    const { slots, reservations, creditStanding } = parts;
    this.#count = new CallCount({
      slots,
      claimed: (accountId, periodStartMs) => parts.claimed(accountId, periodStartMs),
      heldHere: (allowance) => this.#openOf(allowance),
    });
    this.#caps = creditStanding && new CreditCaps(creditStanding);
    this.#telling = new UnderWayTelling({ slots, processId: reservations.processId });
  }

  /** Slots that are taken and not settled. */
  get open(): number {
    return this.#open.size;
  }

  /** Those of them that nobody has begun to settle. */
  get unsettled(): number {
    return this.#open.snapshot().filter((slot) => !slot.isSettled).length;
  }

  /** Slots that stayed counted because the store could not be told. */
  get notGivenBack(): number {
    return this.#notGivenBack;
  }

  /** At once where this process counts by itself, and the database knows of enough. */
  take(account: Account): QuotaDecision | Promise<QuotaDecision> {
    const allowance = this.#allowance(account);
    const caps = account.overage === true ? this.#caps : undefined;
    if (caps === undefined || effectiveTier(account, this.#parts.clock.now()) === 'free')
      return this.#take(allowance, undefined);
    return this.#takeWithCredits(allowance, caps);
  }

  /** The cap is higher by what credits pay for. How much that is holds for one version of the account. */
  async #takeWithCredits(allowance: Allowance, caps: CreditCaps): Promise<QuotaDecision> {
    const paidPast = allowance.limit;
    for (let readings = 0; readings <= limits.countBeginningsMax; readings++) {
      const cap = caps.known(allowance);
      const limit = cap?.limit ?? paidPast;
      const decision = await this.#take({ ...allowance, limit }, paidPast);
      const { version } = decision;
      if (cap?.version === version) return decision;
      if (decision.outcome === 'granted') {
        if (decision.slot.number <= paidPast) return decision;
        void decision.slot.undo();
      }
      await caps.read(allowance, version);
    }
    throw countLost();
  }

  #take(allowance: Allowance, paidPast: number | undefined): QuotaDecision | Promise<QuotaDecision> {
    const decided = this.#tried(allowance, paidPast);
    return decided instanceof Promise ? this.#takeAgain(decided, allowance, paidPast) : decided;
  }

  async #takeAgain(
    tried: Promise<QuotaDecision | undefined>,
    allowance: Allowance,
    paidPast: number | undefined,
  ): Promise<QuotaDecision> {
    let decided = await tried;
    for (let beginnings = 1; decided === undefined && beginnings < limits.countBeginningsMax; beginnings++)
      decided = await this.#tried(allowance, paidPast);
    if (decided === undefined) throw countLost();
    return decided;
  }

  /** Comes to undefined where the count was lost meanwhile. */
  #tried(
    allowance: Allowance,
    paidPast: number | undefined,
  ): QuotaDecision | Promise<QuotaDecision | undefined> {
    const underWay = this.#telling.of(allowance);
    const decide = (taken: Counted) => this.#decided(taken, { allowance, underWay, paidPast });
    const taken = this.#count.take(allowance, underWay);
    return taken instanceof Promise ? taken.then(decide) : decide(taken);
  }

  #decided(taken: Counted, from: Asked): QuotaDecision | Promise<QuotaDecision | undefined> {
    const { allowance, underWay, paidPast } = from;
    if (taken.outcome !== 'granted') return this.#refused(taken, allowance, paidPast);
    const { used: number, version } = taken;
    const slot = this.#slotOf({ allowance, underWay, number, paidPast });
    const reserving = this.#parts.reservations.cover(slot.reserve, 1);
    const granted: QuotaDecision = { outcome: 'granted', version, slot };
    if (reserving === undefined) return granted;
    return this.#staysCounted(slot, version, reserving).then((stays) => {
      if (stays) return granted;
      slot.lose();
      return undefined;
    });
  }

  /** What other replicas recorded within the last tenth of a second may be missing. */
  async standing(account: Account): Promise<Standing> {
    const { accountId, periodStartMs, periodEndMs, limit } = this.#allowance(account);
    const used = await this.#parts.counted(accountId, periodStartMs);
    return { limit, used, period: { startMs: periodStartMs, endMs: periodEndMs } };
  }

  #allowance(account: Account): Allowance {
    const nowMs = this.#parts.clock.now();
    const tier = effectiveTier(account, nowMs);
    const period = tier === 'free' ? undefined : account.period;
    const { startMs, endMs } = period === undefined ? this.#monthAt(nowMs) : runningPeriod(period, nowMs);
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

  /** A count that was begun anew before the database knew of the slot lacks it, and accounts have another version then. */
  async #staysCounted(slot: Slot, version: string, reserving: Promise<void>): Promise<boolean> {
    try {
      await reserving;
      return (await this.#parts.versions.of(slot.accountId)) === version;
    } catch (error) {
      void slot.undo();
      throw error;
    }
  }

  #slotOf({ allowance, underWay, number, paidPast }: Omit<TakenFrom, 'reserve'>): Slot {
    const { accountId, periodStartMs, periodEndMs, limit } = allowance;
    const question = { accountId, of: 'calls', keyId: '', periodStartMs } as const;
    const reserve = this.#parts.reservations.of(question, periodEndMs + limits.countGraceMs);
    reserve.aheadMax = (limit - number) / limits.reservedShare;
    const slot = new Slot({ allowance, reserve, underWay, number, paidPast }, this.#settle);
    this.#open.add(slot);
    return slot;
  }

  #refused(
    taken: Exclude<Counted, { outcome: 'granted' }>,
    allowance: Allowance,
    paidPast: number | undefined,
  ): QuotaDecision {
    const { version } = taken;
    if (taken.outcome === 'failing')
      return { outcome: 'refused', version, error: () => tooManyFailures(taken.retryAfterSeconds) };
    const { used, held } = taken;
    const mayComeBack = used - held < allowance.limit;
    const error = () =>
      mayComeBack
        ? allHeld(allowance, held)
        : capReached({
            allowance,
            paidPast,
            upgradeUrl: this.#parts.upgradeUrl(),
            nowMs: this.#parts.clock.now(),
          });
    return { outcome: 'refused', version, error };
  }

  /** Those that this process holds. */
  #openOf(allowance: Allowance): number {
    let open = 0;
    for (const slot of this.#open.snapshot()) if (slot.isOf(allowance)) open++;
    return open;
  }

  readonly #settle = (slot: Slot, from: TakenFrom, how: Settling): void | Promise<void> => {
    this.#parts.reservations.settle(from.reserve, 1, how === 'kept' ? 1 : 0);
    if (how === 'kept' || how === 'lost') this.#isOver(slot, from);
    else return this.#release(slot, from, how);
  };

  #isOver(slot: Slot, { underWay }: TakenFrom): void {
    this.#open.delete(slot);
    underWay.calls--;
  }

  async #release(slot: Slot, from: TakenFrom, how: 'given back' | 'undone'): Promise<void> {
    const { slots } = this.#parts;
    try {
      await (how === 'undone' ? slots.undo(from.allowance) : slots.giveBack(from.allowance));
    } catch {
      this.#notGivenBack++;
    }
    this.#isOver(slot, from);
  }
}

type Asked = Omit<TakenFrom, 'reserve' | 'number'>;
