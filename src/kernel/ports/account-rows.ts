/** All rows of an account for its holder, without hashes and sealed keys. */
export interface AccountRows {
  /** Table by table, in chunks. */
  of(accountId: string): AsyncIterable<AccountRow>;
}

export interface AccountRow {
  /** The kind of the rows. */
  readonly type: string;
  readonly [field: string]: unknown;
}
