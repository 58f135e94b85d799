import { type Caller, scopeOf } from '../caller.ts';
import type { NanoUsd } from '../money.ts';
import type { Period } from './records.ts';
import type { StoredBudget } from './stored-budgets.ts';

/** Owns a budget: one key, the calls of an account with one tag, or the calls that a stored budget limits. */
export interface BudgetHolder {
  readonly accountId: string;
  /** Empty without a key. For a tag or a stored budget, a name that no key has. */
  readonly keyId: string;
  readonly tag?: BudgetTag;
  readonly callBudget?: CallBudget;
}

/** A stored budget, as it limits a call. */
export interface CallBudget {
  readonly budget: StoredBudget;
  /** The end user or the value of the tag, if each has the budget by itself; otherwise empty. */
  readonly value: string;
}

/** What calls with each value of a tag may spend. */
export interface TagCeilings {
  readonly tag: string;
  readonly ceilings: Ceilings;
}

/** A value of a tag, which has a budget of its own. */
export interface BudgetTag {
  readonly name: string;
  /** Empty for calls without the tag. */
  readonly value: string;
}

/** The calls of the account with this tag, whatever their keys. */
export function tagBudgetHolder({ accountId }: BudgetHolder, tag: BudgetTag): BudgetHolder {
  return { accountId, keyId: `tag:${tag.name}=${tag.value}`, tag };
}

/** The calls of the account that a stored budget limits, whatever their keys. */
export function callBudgetHolder(callBudget: CallBudget): BudgetHolder {
  const { budget, value } = callBudget;
  return { accountId: budget.accountId, keyId: callBudgetName(callBudget), callBudget: { budget, value } };
}

/** The name of its holder. */
export function callBudgetName({ budget: { id }, value }: CallBudget): string {
  return value === '' ? `budget:${id}` : `budget:${id}:${value}`;
}

/** Whose budget a hold is about, for calls of this key. */
export function holderOf(
  keyHolder: BudgetHolder,
  { tag, callBudget }: Pick<HoldRequest, 'tag' | 'callBudget'>,
): BudgetHolder {
  if (callBudget !== undefined) return callBudgetHolder(callBudget);
  return tag === undefined ? keyHolder : tagBudgetHolder(keyHolder, tag);
}

/** Callers without a key share one budget for each tenant; all anonymous sessions share the operator's. */
export function budgetHolderOf(caller: Caller): BudgetHolder {
  if (caller.kind === 'account') return { accountId: caller.accountId, keyId: caller.keyId };
  if (caller.kind === 'payer') return payerBudgetHolder;
  return caller.kind === 'sandbox' ? sandboxBudgetHolder : { accountId: scopeOf(caller), keyId: '' };
}

export const sandboxBudgetHolder: BudgetHolder = { accountId: 'sandbox', keyId: '' };

/** The shared budget of all pay-per-call callers. */
export const payerBudgetHolder: BudgetHolder = { accountId: 'payers', keyId: '' };

export type WindowName = 'day' | 'month' | 'rolling';

/** The calendar day and month in UTC, and the window that moves on, for budgets that have one. */
export interface BudgetWindows {
  readonly day: Period;
  readonly month: Period;
  readonly rolling?: RollingWindow;
}

/** The last days or hours: it ends with the current one, and then moves on by one. */
export interface RollingWindow extends Period {
  /** The start of the current day or hour. */
  readonly partStartMs: number;
}

/** The amount spent in each. */
export interface SpentByWindow {
  readonly day: NanoUsd;
  readonly month: NanoUsd;
  readonly rolling?: NanoUsd;
  /** The start of the oldest part of the rolling window with a cost, which leaves the window first. */
  readonly rollingSinceMs?: number;
}

/** What a count begins with. */
export interface SpentBefore {
  readonly day: NanoUsd;
  readonly month: NanoUsd;
  /** By day or hour of the rolling window. */
  readonly parts?: readonly SpentPart[];
}

interface SpentPart {
  readonly startMs: number;
  readonly amount: NanoUsd;
}

/** The ceiling of each; undefined if there is none. */
export type Ceilings = { readonly [Name in WindowName]?: NanoUsd | undefined };

/** The budget of one key, as a module sees it. */
export interface Budget {
  /** The stored budgets of the account that limit the call. */
  readonly ofCall: readonly CallBudget[];
  /** With `wait`, waits for money that other calls hold, if there would be enough without them. */
  hold(holdRequest: HoldRequest, wait?: HoldWait): Promise<HoldDecision>;
}

/** How long a hold may wait, and the signal that the client has left. */
export interface HoldWait {
  readonly forMs: number;
  readonly signal: AbortSignal;
}

/** The cost to hold, and the ceilings of the key, of a tag or of a stored budget. */
export interface HoldRequest {
  readonly amount: NanoUsd;
  /** The minimum to hold if there isn't enough left for all of it. */
  readonly least: NanoUsd;
  readonly ceilings: Ceilings;
  /** If the ceilings are those of a tag, and not of the key. */
  readonly tag?: BudgetTag | undefined;
  /** If the ceiling is that of a stored budget. */
  readonly callBudget?: CallBudget | undefined;
}

export type HoldDecision =
  | { readonly outcome: 'granted'; readonly hold: Hold; readonly spent: SpentByWindow }
  | (BudgetShortage & { readonly outcome: 'refused'; readonly endsAtMs: number });

/** Money set aside until the cost of the call is known. */
export interface Hold {
  readonly amount: NanoUsd;
  readonly isSettled: boolean;
  /**
   * Called once, when the call has ended: the actual cost counts in full, even beyond the hold; 0 returns everything.
   */
  settle(cost: NanoUsd): Promise<void>;
}

/** Why a hold was rejected: the window without room, and its amounts. */
interface BudgetShortage {
  readonly window: WindowName;
  readonly spent: NanoUsd;
  /** Held by other calls. */
  readonly held: NanoUsd;
  /** The start of the oldest part with a cost, if the window is the rolling one. */
  readonly sinceMs?: number;
}

/** The budgets of all keys, shared by all replicas. Their state may be lost at any time. */
export interface Budgets {
  /** One atomic round trip: spent and held together never exceed a ceiling, even with concurrent holds. */
  hold(holdRequest: BudgetHoldRequest): Promise<HoldOutcome>;
  /**
   * `again` if an earlier attempt may have succeeded, or the hold may have expired: then settles only what is still
   * held. Resolves to what is spent now; undefined if nothing was settled.
   */
  settle(held: HeldAmount, holdSettlement: HoldSettlement): Promise<SpentByWindow | undefined>;
  /** Extends the hold. */
  renew(held: HeldAmount): Promise<void>;
  /** Undefined if there is no count. */
  read(budgetHolder: BudgetHolder, budgetWindows: BudgetWindows): Promise<BudgetState | undefined>;
  /** Starts a count with the amount spent before, unless one is running. */
  begin(budgetHolder: BudgetHolder, budgetWindows: BudgetWindows, spentBefore: SpentBefore): Promise<void>;
  /** Drops the count but keeps the holds, for when the database knows better what was spent. */
  forget(budgetHolder: BudgetHolder): Promise<void>;
}

/** What a key has spent, and what its calls in flight hold. */
export interface BudgetState {
  readonly spent: SpentByWindow;
  readonly held: NanoUsd;
}

export interface BudgetHoldRequest extends HoldRequest {
  readonly holder: BudgetHolder;
  readonly windows: BudgetWindows;
}

export type HoldOutcome =
  | { readonly outcome: 'granted'; readonly held: HeldAmount; readonly spent: SpentByWindow }
  | (BudgetShortage & { readonly outcome: 'refused' })
  /** There is no count, or it was lost: `begin` it from the database and hold again. */
  | { readonly outcome: 'uncounted' };

/** A hold in a store. All of it counts as spent if it is neither settled nor renewed within `limits.holdLifeMs`. */
export interface HeldAmount {
  readonly holder: BudgetHolder;
  readonly amount: NanoUsd;
  /** The store's reference to the hold. */
  readonly id: string;
}

export interface HoldSettlement {
  readonly cost: NanoUsd;
  /** The windows in which the call ended and its cost counts. */
  readonly windows: BudgetWindows;
  readonly isRetry: boolean;
}

/** Observes how near keys are to their ceilings. It must not throw. */
export interface SpendingListener {
  onSpent(budgetHolder: BudgetHolder, ceilings: Ceilings, state: SpentInWindows): void;
  onRefused(budgetHolder: BudgetHolder, refusal: RefusedCeiling): void;
}

export interface SpentInWindows {
  readonly spent: SpentByWindow;
  readonly windows: BudgetWindows;
}

/** A ceiling that has no room for a call. */
export interface RefusedCeiling {
  readonly window: WindowName;
  readonly ceiling: NanoUsd;
  readonly spent: NanoUsd;
  readonly period: Period;
}
