/** How long an account keeps its calls, if that is shorter than the instance keeps them. */
export interface LogRetention {
  readonly accountId: string;
  readonly days: number;
}

/** The longest times for accounts of a tier; undefined for as long as the instance keeps them. */
interface TierRetention {
  readonly logDays?: number | undefined;
  readonly recordingDays?: number | undefined;
}

export type TierRetentions = ReadonlyMap<string, TierRetention>;

/** How long an account keeps its calls, by its own choice and by its tier. */
export interface AccountRetention {
  readonly accountId: string;
  /** Its own choice. */
  readonly ownDays: number | undefined;
  readonly ofTier: TierRetention;
}

/** The accounts with a retention of their own, and what it deletes. */
export interface LogRetentions {
  /** In days; undefined if the account has none of its own. */
  find(accountId: string): Promise<number | undefined>;
  put(retention: LogRetention): Promise<void>;
  delete(accountId: string): Promise<void>;
  /** In the order of the accounts' ids, after the given one. */
  page(after: string, limit: number): Promise<readonly LogRetention[]>;
  /** The retention of an account that exists. */
  of(accountId: string, tiers: TierRetentions, nowMs: number): Promise<AccountRetention | undefined>;
  /** Accounts with a retention of their own or by their tier, in the order of their ids. */
  pageOf(
    tiers: TierRetentions,
    range: { readonly nowMs: number; readonly after: string; readonly limit: number },
  ): Promise<readonly AccountRetention[]>;
  /** Deletes the oldest calls of an account that arrived before this time, `most` at a time; resolves to their number. */
  forgetCalls(accountId: string, beforeMs: number, most: number): Promise<number>;
  forgetRecordings(accountId: string, beforeMs: number): Promise<void>;
  /** Deletes what else the log and its recordings have of an account from before this time; sums of calls stay. */
  forgetRest(accountId: string, beforeMs: number): Promise<void>;
}
