import { type Caller, scopeOf } from '../caller.ts';
import type { NanoUsd } from '../money.ts';
import type { Period } from './records.ts';

/** Whose money it is: that of one key. */
export interface Holder {
  readonly accountId: string;
  /** Empty where no key was used. */
  readonly keyId: string;
}

/** Callers without a key have one purse for each tenant, and all anonymous sessions one together: the operator's. */
export function holderOf(caller: Caller): Holder {
  if (caller.kind === 'account') return { accountId: caller.accountId, keyId: caller.keyId };
  if (caller.kind === 'payer') return payerHolder;
  return caller.kind === 'sandbox' ? sandboxHolder : { accountId: scopeOf(caller), keyId: '' };
}

export const sandboxHolder: Holder = { accountId: 'sandbox', keyId: '' };

/** All who pay call by call. */
export const payerHolder: Holder = { accountId: 'payers', keyId: '' };

export type WindowName = 'day' | 'month';

type ByWindow<Value> = { readonly [Name in WindowName]: Value };

/** The day and the month of the calendar, in UTC, that something happens in. */
export type Windows = ByWindow<Period>;

/** What was spent in each. */
export type Spent = ByWindow<NanoUsd>;

/** The most that may be spent in each; undefined where there is no ceiling. */
export type Ceilings = { readonly [Name in WindowName]?: NanoUsd | undefined };

/** What one key may still spend, as a module sees it. */
export interface Purse {
  hold(wish: Wish): Promise<HoldDecision>;
}

/** What a call may cost, and what its key may spend. */
export interface Wish {
  readonly amount: NanoUsd;
  /** Taken where there isn't enough left for all of it; no less than this. */
  readonly least: NanoUsd;
  readonly ceilings: Ceilings;
}

export type HoldDecision =
  | { readonly outcome: 'granted'; readonly hold: Hold; readonly spent: Spent }
  | (Shortage & { readonly outcome: 'refused'; readonly endsAtMs: number });

/** Money that nobody else can spend until it is known what the call really cost. */
export interface Hold {
  readonly amount: NanoUsd;
  readonly isSettled: boolean;
  /** Once, when the call has ended: what it cost counts in full, more than was held or less, and 0 gives all back. */
  settle(cost: NanoUsd): Promise<void>;
}

/** Why something can't be held: the window that has no room for it, and what is in it. */
interface Shortage {
  readonly window: WindowName;
  readonly spent: NanoUsd;
  /** Held by other calls. */
  readonly held: NanoUsd;
}

/** The purses of all keys, as all replicas know them. What they know may be lost at any time. */
export interface Purses {
  /** One step, one round trip: spent and held together never pass a ceiling by it, whoever else is holding. */
  hold(asked: AskedHold): Promise<HoldOutcome>;
  /** `again` where an earlier try may have come through, or the sum may be over: then only what is still held is settled. */
  settle(held: HeldSum, settlement: Settlement): Promise<void>;
  /** Held for another while. */
  renew(held: HeldSum): Promise<void>;
  /** Starts to count with what was spent before, unless a count is running. */
  begin(holder: Holder, windows: Windows, spent: Spent): Promise<void>;
}

export interface AskedHold extends Wish {
  readonly holder: Holder;
  readonly windows: Windows;
}

export type HoldOutcome =
  | { readonly outcome: 'granted'; readonly held: HeldSum; readonly spent: Spent }
  | (Shortage & { readonly outcome: 'refused' })
  /** Nobody has counted yet, or the count was lost: `begin` it from the database and hold again. */
  | { readonly outcome: 'uncounted' };

/** A sum that a store holds. All of it counts as spent when it is neither settled nor renewed for `limits.holdLifeMs`. */
export interface HeldSum {
  readonly holder: Holder;
  readonly amount: NanoUsd;
  /** By which the store that gave it finds it again. */
  readonly id: string;
}

export interface Settlement {
  readonly cost: NanoUsd;
  /** In which the call ended, and its cost counts. */
  readonly windows: Windows;
  readonly again: boolean;
}
