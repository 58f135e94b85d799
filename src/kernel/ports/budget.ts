import { type Caller, scopeOf } from '../caller.ts';
import type { NanoUsd } from '../money.ts';
import type { Period } from './records.ts';

/** Whose money it is: that of one key. */
export interface BudgetHolder {
  readonly accountId: string;
  /** Empty where no key was used. */
  readonly keyId: string;
}

/** Callers without a key have one purse for each tenant, and all anonymous sessions one together: the operator's. */
export function budgetHolderOf(caller: Caller): BudgetHolder {
  if (caller.kind === 'account') return { accountId: caller.accountId, keyId: caller.keyId };
  if (caller.kind === 'payer') return payerBudgetHolder;
  return caller.kind === 'sandbox' ? sandboxBudgetHolder : { accountId: scopeOf(caller), keyId: '' };
}

export const sandboxBudgetHolder: BudgetHolder = { accountId: 'sandbox', keyId: '' };

/** All who pay call by call. */
export const payerBudgetHolder: BudgetHolder = { accountId: 'payers', keyId: '' };

export type WindowName = 'day' | 'month';

type ByWindow<Value> = { readonly [Name in WindowName]: Value };

/** The day and the month of the calendar, in UTC, that something happens in. */
export type BudgetWindows = ByWindow<Period>;

/** What was spent in each. */
export type SpentByWindow = ByWindow<NanoUsd>;

/** The most that may be spent in each; undefined where there is no ceiling. */
export type Ceilings = { readonly [Name in WindowName]?: NanoUsd | undefined };

/** What one key may still spend, as a module sees it. */
export interface Budget {
  hold(holdRequest: HoldRequest): Promise<HoldDecision>;
}

/** What a call may cost, and what its key may spend. */
export interface HoldRequest {
  readonly amount: NanoUsd;
  /** Taken where there isn't enough left for all of it; no less than this. */
  readonly least: NanoUsd;
  readonly ceilings: Ceilings;
}

export type HoldDecision =
  | { readonly outcome: 'granted'; readonly hold: Hold; readonly spent: SpentByWindow }
  | (BudgetShortage & { readonly outcome: 'refused'; readonly endsAtMs: number });

/** Money that nobody else can spend until it is known what the call really cost. */
export interface Hold {
  readonly amount: NanoUsd;
  readonly isSettled: boolean;
  /** Once, when the call has ended: what it cost counts in full, more than was held or less, and 0 gives all back. */
  settle(cost: NanoUsd): Promise<void>;
}

/** Why something can't be held: the window that has no room for it, and what is in it. */
interface BudgetShortage {
  readonly window: WindowName;
  readonly spent: NanoUsd;
  /** Held by other calls. */
  readonly held: NanoUsd;
}

/** The purses of all keys, as all replicas know them. What they know may be lost at any time. */
export interface Budgets {
  /** One step, one round trip: spent and held together never pass a ceiling by it, whoever else is holding. */
  hold(asked: BudgetHoldRequest): Promise<HoldOutcome>;
  /** `again` where an earlier try may have come through, or the sum may be over: then only what is still held is settled. */
  settle(held: HeldAmount, holdSettlement: HoldSettlement): Promise<void>;
  /** Held for another while. */
  renew(held: HeldAmount): Promise<void>;
  /** Starts to count with what was spent before, unless a count is running. */
  begin(
    budgetHolder: BudgetHolder,
    budgetWindows: BudgetWindows,
    spentByWindow: SpentByWindow,
  ): Promise<void>;
}

export interface BudgetHoldRequest extends HoldRequest {
  readonly holder: BudgetHolder;
  readonly windows: BudgetWindows;
}

export type HoldOutcome =
  | { readonly outcome: 'granted'; readonly held: HeldAmount; readonly spent: SpentByWindow }
  | (BudgetShortage & { readonly outcome: 'refused' })
  /** Nobody has counted yet, or the count was lost: `begin` it from the database and hold again. */
  | { readonly outcome: 'uncounted' };

/** A sum that a store holds. All of it counts as spent when it is neither settled nor renewed for `limits.holdLifeMs`. */
export interface HeldAmount {
  readonly holder: BudgetHolder;
  readonly amount: NanoUsd;
  /** By which the store that gave it finds it again. */
  readonly id: string;
}

export interface HoldSettlement {
  readonly cost: NanoUsd;
  /** In which the call ended, and its cost counts. */
  readonly windows: BudgetWindows;
  readonly isRetry: boolean;
}
