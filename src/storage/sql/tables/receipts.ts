/** What can be shown of calls. */
export interface ReceiptTables {
  /** The database refuses to change or delete its rows. */
  readonly receipts: {
    readonly receipt_id: string;
    readonly session_ref: string | null;
    readonly visibility: string;
    readonly created_at_ms: number;
    readonly jws: string;
  };
  /** The database refuses to change or delete its rows, too. */
  readonly receipt_keys: {
    readonly key_id: string;
    readonly jwk: string;
    readonly created_at_ms: number;
  };
  /** Whose a receipt is, for as long as there is the account. */
  readonly receipt_owners: {
    readonly receipt_id: string;
    readonly account_id: string;
    readonly created_at_ms: number;
  };
}
