/** Subscriptions, credits and recharges. */
export interface BillingTables {
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
  /** Processed webhook events of the payment processor. */
  readonly billing_events: {
    readonly event_id: string;
    readonly at_ms: number;
  };
  /** Append-only: the database rejects updates and deletions. The rows of one transaction add up to 0. */
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
  /** The sum of an account's entries, updated with each. */
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
}
