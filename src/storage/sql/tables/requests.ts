/** The request log and its sums. */
export interface RequestTables {
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
    /** Time until the call was sent to its provider, had a connection, and received the first bytes. */
    readonly left_us: number | null;
    readonly connected_us: number | null;
    readonly head_us: number | null;
    readonly pipeline: string;
    /** As JSON. */
    readonly steps: string;
    /** As JSON; null if there are none. */
    readonly changes: string | null;
    /** As JSON; null if there was one attempt, or none. */
    readonly attempts: string | null;
    /** The part of an agent that made the call. */
    readonly agent: string | null;
    /** How many calls the row stands for; null for one. */
    readonly weight: number | null;
    /** The program that made the call. */
    readonly client: string | null;
    readonly conversation: string | null;
    /** A pseudonym. */
    readonly end_user: string | null;
    /** What the provider calls the error. */
    readonly provider_error: string | null;
    readonly error_message: string | null;
    readonly provider_request_id: string | null;
    readonly stop_reason: string | null;
    /** The conversation whose agent started this one. */
    readonly parent_conversation: string | null;
    /** As JSON; null if the conversation has no name. */
    readonly turn: string | null;
    /** As JSON, with the names in order; null if there are none. */
    readonly tags: string | null;
    /** As JSON; null if there are none. */
    readonly units: string | null;
  };
  /** Sums of calls by UTC day and end user; updated as calls are stored. */
  readonly end_user_days: {
    readonly at_ms: number;
    readonly account_id: string;
    readonly end_user: string;
    readonly requests: number;
    readonly failed: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_nano_usd: number;
    readonly saved_nano_usd: number;
  };
  /** Sums of calls by conversation, with those of its subagents; updated as calls are stored. */
  readonly conversations: {
    readonly account_id: string;
    readonly conversation: string;
    readonly requests: number;
    readonly failed: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_nano_usd: number;
    readonly saved_nano_usd: number;
    /** When the first call arrived and the last one ended. */
    readonly first_ms: number;
    readonly last_ms: number;
    /** The start of the hour of `last_ms`: most calls leave its index as it is. */
    readonly last_hour_ms: number;
    readonly key_id: string | null;
    readonly client: string | null;
    readonly end_user: string | null;
    /** Each between line ends, and possibly repeated. */
    readonly models: string;
  };
  /** Calls without a row. */
  readonly request_ids: { readonly id: string };
  /** The distinct combinations of attributes by which calls are filtered. */
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
    readonly client: string | null;
    readonly provider_error: string | null;
  };
  /** Sums of calls by minute, updated in three tables as calls are stored. Those of modules are folded by the hour later. */
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
  /** How long modules took, in bins. */
  readonly request_step_times: {
    readonly account_id: string;
    readonly at_ms: number;
    readonly module: string;
    readonly bin: number;
    readonly requests: number;
  };
  /** Sums of past hours and days, by kind and by what charts show. A call is either here or in the sums by minute. */
  readonly request_past_sums: RequestTables['request_sums'];
  readonly request_past_models: Omit<RequestTables['request_sums'], 'kind'> & {
    readonly model: string;
    readonly is_failed: number;
    readonly is_cached: number;
  };
  readonly request_past_times: Omit<RequestTables['request_times'], 'provider' | 'model'>;
  /** Time to the first content. */
  readonly request_past_model_times: Omit<RequestTables['request_times'], 'what'>;
  /** Totals of days: the past sums, added up by UTC day. */
  readonly request_day_sums: RequestTables['request_past_sums'];
  readonly request_day_models: RequestTables['request_past_models'];
  readonly request_day_times: RequestTables['request_past_times'];
  readonly request_day_model_times: RequestTables['request_past_model_times'];
  /** How long accounts keep their calls, if shorter than the instance does. */
  readonly log_retentions: {
    readonly account_id: string;
    readonly days: number;
  };
}
