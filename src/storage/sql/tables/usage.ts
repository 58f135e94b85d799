/** Usage of accounts, and reservations of usage not stored yet. */
export interface UsageTables {
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
  /** The days by key, added up; those of a writer that doesn't know this table are made again when they are read. */
  readonly usage_model_days: {
    readonly account_id: string;
    readonly day: string;
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
  /** At most `limits.tagValuesPerDay` of a tag and `limits.tagDayRows` of an account on a day; others share a row with an empty name. */
  readonly tag_days: {
    readonly account_id: string;
    readonly day: string;
    readonly tag: string;
    readonly value: string;
    readonly requests: number;
    readonly failed: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_nano_usd: number;
  };
  /** The limits of accounts on spending. */
  readonly budgets: {
    readonly account_id: string;
    readonly id: string;
    readonly name: string;
    readonly scope: string;
    /** The project, the key, the end user or the name of the tag; null for the whole account and for each end user. */
    readonly subject: string | null;
    /** The value of the tag; null for each. */
    readonly value: string | null;
    /** `day`, `month`, or days or hours such as `7d`. */
    readonly period: string;
    readonly limit_nano_usd: number;
    readonly mode: string;
    /** Percentages as JSON. */
    readonly thresholds: string;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
  };
  /** Those of budgets that days of usage can't count; kept as long as the longest window. */
  readonly budget_hours: {
    readonly account_id: string;
    readonly budget_id: string;
    readonly value: string;
    readonly hour_ms: number;
    readonly cost_nano_usd: number;
  };
  readonly module_days: {
    readonly account_id: string;
    readonly day: string;
    readonly module: string;
    readonly calls: number;
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
  /** The usage that processes may admit before they store it. */
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
  /** Ids of added batches, so that none is added twice. */
  readonly usage_batches: {
    readonly id: string;
    readonly at_ms: number;
  };
}
