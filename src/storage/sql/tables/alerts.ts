/** Alerts and the webhooks that get them. */
export interface AlertTables {
  readonly webhooks: {
    readonly id: string;
    readonly account_id: string;
    readonly channel: string;
    /** A JSON list. */
    readonly events: string;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
    readonly created_at_ms: number;
    readonly disabled_at_ms: number | null;
    readonly disabled_reason: string | null;
    readonly failing_since_ms: number | null;
  };
  /** One row decides which of several replicas sends an alert. */
  readonly alerts: {
    readonly account_id: string;
    readonly event: string;
    readonly key: string;
    readonly at_ms: number;
  };
  /** What is usual for keys, and what is unusual at the moment. */
  readonly key_states: {
    readonly account_id: string;
    readonly key_id: string;
    /** JSON. */
    readonly state: string;
    /** JSON; changes once a day. */
    readonly past: string;
    readonly has_incident: number;
    readonly saved_ms: number;
  };
  readonly alert_deliveries: {
    readonly id: string;
    readonly account_id: string;
    readonly webhook_id: string;
    readonly message_id: string;
    readonly type: string;
    readonly body: string;
    readonly at_ms: number;
    readonly attempts: number;
    readonly started_at_ms: number;
    /** Null if there is no further attempt. */
    readonly due_at_ms: number | null;
    readonly last_attempt_at_ms: number | null;
    readonly last_status: number | null;
    readonly last_error: string | null;
    readonly delivered_at_ms: number | null;
  };
}
