/** Anonymous sessions, and the accounts that claimed them. */
export interface SandboxTables {
  readonly anon_sessions: {
    readonly id: string;
    readonly session_ref: string;
    readonly token_hash: string;
    readonly address_hash: string;
    readonly request_limit: number;
    readonly requests_used: number;
    readonly given_back: number;
    readonly expires_at_ms: number;
    readonly revoked_at_ms: number | null;
  };
  readonly anon_claims: {
    readonly session_id: string;
    readonly session_ref: string;
    readonly account_id: string;
    readonly claimed_at_ms: number;
  };
}
