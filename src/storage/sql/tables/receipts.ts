/** Receipts of calls. */
export interface ReceiptTables {
  /** Append-only: the database rejects updates and deletions. */
  readonly receipts: {
    readonly receipt_id: string;
    readonly session_ref: string | null;
    readonly visibility: string;
    readonly created_at_ms: number;
    readonly jws: string;
  };
  /** Append-only, too. */
  readonly receipt_keys: {
    readonly key_id: string;
    readonly jwk: string;
    readonly created_at_ms: number;
  };
  /** The account of a receipt, until the account is deleted. */
  readonly receipt_owners: {
    readonly receipt_id: string;
    readonly account_id: string;
    readonly created_at_ms: number;
  };
}
