/** How long an account keeps its calls, if that is shorter than the instance keeps them. */
export interface LogRetention {
  readonly accountId: string;
  readonly days: number;
}

/** The accounts with a retention of their own, and what it deletes. */
export interface LogRetentions {
  /** In days; undefined if the account has none of its own. */
  find(accountId: string): Promise<number | undefined>;
  put(retention: LogRetention): Promise<void>;
  delete(accountId: string): Promise<void>;
  /** In the order of the accounts' ids, after the given one. */
  page(after: string, limit: number): Promise<readonly LogRetention[]>;
  /** Deletes the oldest calls of an account that arrived before this time, `most` at a time; resolves to their number. */
  forgetCalls(accountId: string, beforeMs: number, most: number): Promise<number>;
  /** Deletes what else the log and its recordings have of an account from before this time; sums of calls stay. */
  forgetRest(accountId: string, beforeMs: number): Promise<void>;
}
