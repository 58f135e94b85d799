import { type CallValues, columnIndexOf, numberAt, type SqlValue, valueAt } from './call-values.ts';
import { amountColumns } from './request-log-row.ts';
import type { SumTable, UpsertRow } from './sum-table.ts';

const amountColumnNames = amountColumns.map(([column]) => column);

/** Sums of calls by UTC day and end user. */
export const endUserTable: SumTable = {
  name: 'end_user_days',
  key: ['account_id', 'end_user', 'at_ms'],
  sums: ['requests', 'failed', ...amountColumnNames],
};

const amountColumnIndexes = amountColumnNames.map(columnIndexOf);
const columnIndexes = {
  account: columnIndexOf('account_id'),
  endUser: columnIndexOf('end_user'),
  atMs: columnIndexOf('at_ms'),
  status: columnIndexOf('status'),
  ending: columnIndexOf('ending'),
};
const dayMs = 86_400_000;

interface EndUserDay {
  readonly key: readonly SqlValue[];
  /** Requests, failed ones, and the amounts. */
  readonly sums: number[];
}

/** Sums added calls by end user. Calls that name none are left out. */
export class EndUserTally {
  readonly #days = new Map<string, EndUserDay>();

  add(callValues: CallValues): void {
    const endUser = valueAt(callValues, columnIndexes.endUser);
    if (endUser === null) return;
    const account = valueAt(callValues, columnIndexes.account);
    const day = Math.floor(numberAt(callValues, columnIndexes.atMs) / dayMs) * dayMs;
    const { sums } = this.#dayOf([account, endUser, day]);
    const isFailed =
      numberAt(callValues, columnIndexes.status) >= 400 || callValues[columnIndexes.ending] === 'failed';
    const added = [1, Number(isFailed), ...amountColumnIndexes.map((column) => numberAt(callValues, column))];
    for (const [at, amount] of added.entries()) sums[at] = (sums[at] ?? 0) + amount;
  }

  *rows(): Iterable<UpsertRow> {
    for (const { key, sums } of this.#days.values()) yield { table: endUserTable, values: [...key, ...sums] };
  }

  #dayOf(key: readonly SqlValue[]): EndUserDay {
    const name = key.join('\n');
    const day = this.#days.get(name) ?? { key, sums: [] };
    this.#days.set(name, day);
    return day;
  }
}
