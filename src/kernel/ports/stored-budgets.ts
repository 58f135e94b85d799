import type { NanoUsd } from '../money.ts';

/** Whose calls a budget limits, all together, or each end user or value of a tag by itself. */
export type BudgetScope =
  | { readonly kind: 'organization' }
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'key'; readonly keyId: string }
  /** The pseudonym of an end user; undefined for each. */
  | { readonly kind: 'end_user'; readonly endUser: string | undefined }
  /** Without a value, for each value. */
  | { readonly kind: 'tag'; readonly tag: string; readonly value: string | undefined };

export const budgetScopes = ['organization', 'project', 'key', 'end_user', 'tag'] as const;

/** A day or a month of the calendar in UTC, or the last days or hours, with the current one. */
export type BudgetPeriod =
  | { readonly kind: 'day' | 'month' }
  | { readonly kind: 'rolling'; readonly parts: number; readonly unit: RollingUnit };

type RollingUnit = 'day' | 'hour';

/** The longest windows: reservations of processes that were killed are kept for as long. */
export const rollingPartsMax = { day: 31, hour: 168 } as const;

/** A hard budget refuses calls that could pass it; one that warns raises alerts only. */
export const budgetModes = ['hard', 'warning'] as const;
type BudgetMode = (typeof budgetModes)[number];

/** A budget that an account has stored. */
export interface StoredBudget {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly limitNanoUsd: NanoUsd;
  readonly mode: BudgetMode;
  /** Percentages of the limit at which alerts are raised, in ascending order. */
  readonly thresholds: readonly number[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export type BudgetChanges = Partial<Pick<StoredBudget, 'name' | 'limitNanoUsd' | 'mode' | 'thresholds'>>;

export interface StoredBudgets {
  /** False if the account has `most` budgets, even with concurrent additions. */
  add(budget: StoredBudget, most: number): Promise<boolean>;
  /** The oldest first. */
  list(accountId: string): Promise<readonly StoredBudget[]>;
  /** Those that may limit calls with this key, which may be in a project. */
  ofKey(accountId: string, keyId: string): Promise<readonly StoredBudget[]>;
  /** The changed budget; undefined if the account has no such budget. */
  change(
    accountId: string,
    id: string,
    changes: BudgetChanges,
    atMs: number,
  ): Promise<StoredBudget | undefined>;
  /** Deletes it with its counts; false if the account has no such budget. */
  delete(accountId: string, id: string): Promise<boolean>;
}

const rollingPattern = /^([1-9]\d{0,2})([dh])$/;

/** `day`, `month`, or the last days or hours, such as `7d` or `24h`. Undefined for anything else. */
export function parseBudgetPeriod(text: string): BudgetPeriod | undefined {
  if (text === 'day' || text === 'month') return { kind: text };
  const [, count = '', letter] = rollingPattern.exec(text) ?? [];
  const [parts, unit] = [Number(count), letter === 'h' ? 'hour' : 'day'] as const;
  return letter === undefined || parts > rollingPartsMax[unit] ? undefined : { kind: 'rolling', parts, unit };
}

export function formatBudgetPeriod(period: BudgetPeriod): string {
  return period.kind === 'rolling' ? `${period.parts}${period.unit.slice(0, 1)}` : period.kind;
}

/** Whether each end user, or each value of a tag, has the budget by itself. */
export function isForEach(scope: BudgetScope): boolean {
  return (
    (scope.kind === 'end_user' && scope.endUser === undefined) ||
    (scope.kind === 'tag' && scope.value === undefined)
  );
}

/**
 * Whether usage by day can't tell what was spent, so that it is counted by the hour from the budget's creation on: usage has no end users, and
 * keys move between projects.
 */
export function isCountedByHour({ scope, period }: Pick<StoredBudget, 'scope' | 'period'>): boolean {
  const { kind } = scope;
  return kind === 'end_user' || kind === 'project' || (period.kind === 'rolling' && period.unit === 'hour');
}
