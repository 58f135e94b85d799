/** Batches that the gateway runs itself, and their files. */
export interface OwnBatchTables {
  readonly call_files: {
    readonly id: string;
    readonly account_id: string;
    readonly call_path: string;
    /** A JSON list. */
    readonly models: string;
    readonly calls: number;
    readonly bytes: number;
    readonly made_at_ms: number;
    readonly expires_at_ms: number;
  };
  readonly call_file_lines: {
    readonly file_id: string;
    readonly number: number;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
  };
  readonly own_batches: {
    readonly id: string;
    readonly account_id: string;
    readonly file_id: string;
    readonly state: string;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
    readonly calls: number;
    readonly completed: number;
    readonly failed: number;
    readonly cost_nano_usd: number;
    readonly result_bytes: number;
    readonly made_at_ms: number;
    readonly expires_at_ms: number;
    readonly ended_at_ms: number | null;
    /** The process that runs it; empty if none does. */
    readonly holder: string;
    readonly lease_until_ms: number;
  };
  /** A row for each call that was sent: its primary key decides who sends it. */
  readonly own_batch_lines: {
    readonly batch_id: string;
    readonly number: number;
    /** `claimed`, `waiting` to be sent again, or its end: `answered` or `failed`. */
    readonly state: string;
    readonly attempts: number;
    /** When it may be sent again. */
    readonly due_at_ms: number;
    readonly sealed_by: string | null;
    readonly sealed: Uint8Array | null;
  };
}
