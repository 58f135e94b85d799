/** Accounts and their credentials. */
export interface AccountTables {
  readonly users: {
    readonly id: string;
    readonly email: string;
    /** Case-insensitive and unique. */
    readonly email_folded: string;
    readonly password_hash: string;
    readonly tier: string;
    readonly period_start_ms: number | null;
    readonly period_end_ms: number | null;
    readonly created_at_ms: number;
    readonly tier_ends_ms: number | null;
    /** 1 if credits pay for calls past the cap. */
    readonly overage: number;
    readonly verified_at_ms: number | null;
    readonly disabled_at_ms: number | null;
  };
  readonly sessions: {
    readonly id: string;
    readonly account_id: string;
    readonly client: string;
    readonly created_at_ms: number;
    readonly used_at_ms: number;
    readonly expires_at_ms: number;
  };
  readonly mailed_tokens: {
    readonly hash: string;
    readonly account_id: string;
    readonly purpose: string;
    readonly expires_at_ms: number;
  };
  /** Deleted accounts whose data may not be fully erased yet. */
  readonly erasures: {
    readonly account_id: string;
    readonly pass: number;
    readonly next_at_ms: number;
  };
  readonly api_keys: {
    readonly id: string;
    readonly account_id: string;
    readonly prefix: string;
    readonly hash: string;
    readonly name: string;
    readonly pipeline_config: string | null;
    readonly created_at_ms: number;
    readonly last_used_at_ms: number | null;
    readonly revoked_at_ms: number | null;
    /** 1 if its calls get receipts. */
    readonly receipts: number;
  };
  readonly provider_keys: {
    readonly account_id: string;
    readonly provider: string;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
    readonly hint: string | null;
    readonly updated_at_ms: number;
  };
}
