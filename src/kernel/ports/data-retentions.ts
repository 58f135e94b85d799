/** Kinds of data besides calls whose age an account can bound. */
export const retainedKinds = ['recordings', 'archive', 'patterns', 'audit'] as const;
export type RetainedKind = (typeof retainedKinds)[number];

export interface DataRetention {
  readonly accountId: string;
  readonly kind: RetainedKind;
  readonly days: number;
}

export interface StoredAmount {
  readonly items: number;
  /** Undefined where it isn't known. */
  readonly bytes: number | undefined;
}

/** How long accounts keep data of these kinds, if that is shorter than the instance keeps it. */
export interface DataRetentions {
  of(accountId: string): Promise<readonly DataRetention[]>;
  /** Null for as long as the instance. */
  put(retention: Omit<DataRetention, 'days'> & { readonly days: number | null }): Promise<void>;
  /** Of accounts without a legal hold, in the order of their ids, after the given one. */
  page(kind: RetainedKind, after: string, limit: number): Promise<readonly DataRetention[]>;
  /** Deletes some of the oldest from before this time; true if there may be more. */
  forget(
    of: { readonly accountId: string; readonly kind: Exclude<RetainedKind, 'audit'> },
    beforeMs: number,
  ): Promise<boolean>;
  /** Calls are counted up to `most`. */
  stored(accountId: string, kind: RetainedKind | 'requests', most: number): Promise<StoredAmount>;
}
