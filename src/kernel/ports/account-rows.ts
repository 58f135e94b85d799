/** All that tables have of an account, for whose it is: without hashes and sealed keys. */
export interface AccountRows {
  /** Table by table, some rows at a time. */
  of(accountId: string): AsyncIterable<AccountRow>;
}

export interface AccountRow {
  /** What kind of thing it is. */
  readonly type: string;
  readonly [field: string]: unknown;
}
