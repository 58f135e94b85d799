import type { SettlementOutcome } from '../../kernel/ports/settlements.ts';

/** Every table as it is after the last migration. Times are milliseconds since 1970. */
export interface Tables {
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
  };
  readonly users: {
    readonly id: string;
    readonly email: string;
    /** Without case; no two accounts share one. */
    readonly email_folded: string;
    readonly password_hash: string;
    readonly tier: string;
    readonly period_start_ms: number | null;
    readonly period_end_ms: number | null;
    readonly created_at_ms: number;
    readonly tier_ends_ms: number | null;
    /** 1 where calls past the cap are paid for with credits. */
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
  /** Accounts that are gone, and of which something may be left. */
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
    /** 1 where its calls get receipts. */
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
  readonly usage_days: {
    readonly account_id: string;
    readonly day: string;
    readonly key_id: string;
    readonly provider: string;
    readonly model: string;
    readonly requests: number;
    readonly failed: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_nano_usd: number;
  };
  readonly module_days: {
    readonly account_id: string;
    readonly day: string;
    readonly module: string;
    readonly saved_nano_usd: number;
    readonly spent_nano_usd: number;
    readonly with_conversations: number;
    readonly with_cost_nano_usd: number;
    readonly with_squared_usd: number;
    readonly without_conversations: number;
    readonly without_cost_nano_usd: number;
    readonly without_squared_usd: number;
  };
  readonly usage_periods: {
    readonly account_id: string;
    readonly period_start_ms: number;
    readonly calls: number;
  };
  /** What processes may let through before they have stored what came of it. */
  readonly reservations: {
    readonly account_id: string;
    readonly what: string;
    readonly key_id: string;
    readonly period_start_ms: number;
    readonly process_id: string;
    readonly amount: number;
    readonly at_ms: number;
    readonly until_ms: number;
  };
  /** Batches that have been added, so that none is added twice. */
  readonly usage_batches: {
    readonly id: string;
    readonly at_ms: number;
  };
  readonly requests: {
    readonly id: string;
    readonly kind: string;
    readonly at_ms: number;
    readonly account_id: string;
    readonly key_id: string | null;
    /** A module's name. */
    readonly asked_by: string | null;
    readonly model_asked: string;
    readonly model_used: string | null;
    readonly provider: string | null;
    readonly wire: string;
    readonly provider_wire: string | null;
    readonly streamed: number;
    readonly status: number;
    readonly ending: string;
    readonly error_code: string | null;
    readonly input_tokens: number | null;
    readonly output_tokens: number | null;
    readonly cache_read_tokens: number | null;
    readonly cache_write_tokens: number | null;
    readonly reasoning_tokens: number | null;
    readonly cost_nano_usd: number | null;
    readonly cost_estimated: number;
    readonly saved_nano_usd: number;
    readonly content_us: number | null;
    readonly total_us: number;
    readonly overhead_us: number;
    /** Until the call left for its provider, had a connection, and saw the first of the answer. */
    readonly left_us: number | null;
    readonly connected_us: number | null;
    readonly head_us: number | null;
    readonly pipeline: string;
    /** As JSON. */
    readonly steps: string;
    /** As JSON; null where there are none. */
    readonly changes: string | null;
  };
  /** All by which calls are filtered, once for all that have it in common. */
  readonly request_kinds: {
    readonly kind: string;
    readonly account_id: string;
    readonly key_id: string | null;
    readonly asked_by: string | null;
    readonly model_asked: string;
    readonly model_used: string | null;
    readonly provider: string | null;
    readonly status: number;
    readonly ending: string;
    readonly error_code: string | null;
    /** `exact-cache:passed,cost-guard:rejected`. */
    readonly steps: string;
  };
  /** What calls come to in a minute; each call is added to these three as it is stored. Modules' later by the hour. */
  readonly request_sums: {
    readonly account_id: string;
    readonly kind: string;
    readonly at_ms: number;
    readonly requests: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_nano_usd: number;
    readonly saved_nano_usd: number;
  };
  readonly request_times: {
    readonly account_id: string;
    readonly at_ms: number;
    /** `content` or `overhead`. */
    readonly what: string;
    readonly provider: string;
    readonly model: string;
    readonly bin: number;
    readonly requests: number;
  };
  readonly request_steps: {
    readonly account_id: string;
    readonly at_ms: number;
    readonly module: string;
    readonly effect: string;
    readonly requests: number;
    readonly own_us: number;
    readonly saved_nano_usd: number;
  };
  /** The sums of hours and days that are over for long, by kind and by what a chart shows; a call is here or by the minute. */
  readonly request_past_sums: Tables['request_sums'];
  readonly request_past_models: Omit<Tables['request_sums'], 'kind'> & {
    readonly model: string;
    readonly is_failed: number;
    readonly is_cached: number;
  };
  readonly request_past_times: Omit<Tables['request_times'], 'provider' | 'model'>;
  /** Until the first content. */
  readonly request_past_model_times: Omit<Tables['request_times'], 'what'>;
  /** What modules keep, one row for each module and tenant. */
  readonly module_stores: {
    readonly scope: string;
    readonly module: string;
    readonly entries: number;
    /** The highest that a deleted entry had. */
    readonly last_version: number;
  };
  readonly module_entries: {
    readonly scope: string;
    readonly module: string;
    readonly key: string;
    /** As JSON. */
    readonly value: string;
    readonly version: number;
    readonly updated_at_ms: number;
  };
  /** Who keeps vectors: one row for each module and tenant. */
  readonly vector_owners: {
    readonly scope: string;
    readonly module: string;
    /** Another one when all was forgotten in between. */
    readonly epoch: string;
    readonly entries: number;
    /** That of the last vector that was added. */
    readonly last_number: number;
  };
  readonly vectors: {
    readonly scope: string;
    readonly module: string;
    readonly part: string;
    readonly id: string;
    readonly number: number;
    readonly space: string;
    /** One byte a value, from -127 to 127. */
    readonly codes: Uint8Array;
    readonly data: string;
    readonly added_at_ms: number;
    readonly expires_at_ms: number;
  };
  readonly archive: {
    readonly scope: string;
    readonly ref: string;
    readonly conversation: string;
    readonly person: string | null;
    readonly created_at_ms: number;
    readonly expires_at_ms: number;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
    readonly bytes: number;
  };
  /** Who has patterns: one row for each tenant. */
  readonly pattern_owners: {
    readonly owner: string;
    readonly entries: number;
    readonly version: number;
  };
  readonly patterns: {
    readonly owner: string;
    readonly id: string;
    readonly state: string;
    /** Empty for all end users. */
    readonly scope: string;
    readonly fingerprint: string;
    /** What is searched in, in small letters. */
    readonly words: string;
    /** As JSON. */
    readonly pattern: string;
  };
  readonly pattern_calls: {
    readonly owner: string;
    readonly request_id: string;
    readonly conversation: string;
    readonly at_ms: number;
  };
  /** What conversations were about. */
  readonly pattern_gists: {
    readonly owner: string;
    readonly conversation: string;
    readonly scope: string;
    readonly about: string;
    readonly at_ms: number;
  };
  readonly pattern_trials: {
    readonly owner: string;
    readonly conversation: string;
    readonly pattern_id: string;
    readonly held_out: number;
    /** In thousandths. */
    readonly good_milli: number;
    readonly bad_milli: number;
    readonly at_ms: number;
  };
  readonly outcomes: {
    readonly owner: string;
    readonly conversation: string;
    readonly request_id: string;
    readonly good_milli: number;
    readonly bad_milli: number;
    readonly note: string;
    readonly at_ms: number;
  };
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
  /** The database refuses to change or delete its rows. */
  readonly receipts: {
    readonly receipt_id: string;
    readonly session_ref: string | null;
    readonly visibility: string;
    readonly created_at_ms: number;
    readonly jws: string;
  };
  /** So it does here. */
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
  readonly payment_challenges: {
    readonly id: string;
    readonly realm: string;
    readonly request: string;
    readonly digest: string;
    readonly expires_at_ms: number;
    readonly consumed_at_ms: number | null;
    readonly attempts: number;
  };
  readonly settlements: {
    readonly id: string;
    readonly challenge_id: string;
    readonly attempt: number;
    readonly intent: string | null;
    readonly at_ms: number;
    readonly holder: string;
    readonly until_ms: number;
    readonly outcome: SettlementOutcome | null;
  };
  readonly paid_answers: {
    readonly name: string;
    readonly digest: string;
    readonly until_ms: number;
    readonly expires_at_ms: number;
    readonly makings: number;
    readonly settlement_id: string | null;
    readonly sealed_by: string | null;
    readonly sealed: Uint8Array | null;
    /** Of what is sealed. */
    readonly bytes: number;
    /** 1 once the answer is there. */
    readonly whole: number;
  };
  /** The database refuses to change or delete its rows, too. */
  readonly payment_ledger: {
    readonly line_id: string;
    readonly at_ms: number;
    readonly route: string;
    readonly amount: string;
    readonly currency: string;
    readonly receipt_hash: string;
  };
  readonly billing_accounts: {
    readonly account_id: string;
    readonly customer_id: string | null;
    readonly subscription_id: string | null;
    readonly past_due_since_ms: number | null;
    readonly revision: number;
    readonly auto_recharge: number;
    readonly threshold: number;
    readonly amount: number;
    readonly off_reason: string | null;
    readonly failures: number;
    readonly next_try_ms: number;
  };
  /** News of the processor that was taken in. */
  readonly billing_events: {
    readonly event_id: string;
    readonly at_ms: number;
  };
  /** The database refuses to change or delete its rows, too. Those of one transaction add up to nothing. */
  readonly credit_entries: {
    readonly entry_id: string;
    readonly transaction_id: string;
    readonly book: string;
    readonly account_id: string;
    readonly credits: number;
    readonly kind: string;
    readonly reference: string;
    readonly note: string | null;
    readonly at_ms: number;
  };
  /** Sums of an account's entries, written with each. */
  readonly credit_balances: {
    readonly account_id: string;
    readonly credits: number;
  };
  readonly credit_payments: {
    readonly intent_id: string;
    readonly account_id: string;
    readonly credits: number;
    readonly reclaimed: number;
    readonly taken: number;
    readonly revision: number;
    readonly at_ms: number;
  };
  readonly recharges: {
    readonly id: string;
    readonly account_id: string;
    readonly customer_id: string;
    readonly method: string;
    readonly credits: number;
    readonly at_ms: number;
    readonly until_ms: number;
    readonly state: string;
  };
  /** Who may do what only one of all replicas should do. */
  readonly leases: {
    readonly name: string;
    readonly holder: string;
    readonly until_ms: number;
  };
}

/** What a migration may count on; all else is for it to make or to change. */
export type SchemaTables = Pick<Tables, 'schema_migrations'>;
