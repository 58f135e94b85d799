/** An item removed from a conversation, for its account to read. */
export interface ArchivedItem {
  readonly ref: string;
  readonly conversation: string;
  readonly createdAtMs: number;
  readonly content: unknown;
}

/** Stores what a module removes from requests, for the account behind the call. */
export interface Archive {
  /**
   * Keeps an existing item with the same ref. Skips items that are too large: resolves to the refs of the stored
   * ones.
   */
  put(entries: readonly NewArchivedItem[]): Promise<readonly string[]>;
}

export interface NewArchivedItem {
  /** Up to 64 letters and digits; the same for the same content. */
  readonly ref: string;
  readonly conversation: string;
  /** The pseudonym of its end user; null if it belongs to the whole account. */
  readonly person: string | null;
  /** JSON. */
  readonly content: unknown;
  readonly ttlSeconds: number;
}

/** A filter for the items of a tenant; all conditions must match. */
export interface ArchiveFilter {
  readonly ref?: string;
  readonly conversation?: string;
  readonly person?: string;
}

/** The archives of all accounts. */
export interface Archives {
  of(scope: string): Archive;
  /** With an end user, items of others are not found. */
  find(scope: string, which: ArchiveFilter & { readonly ref: string }): Promise<ArchivedItem | undefined>;
  /** Resolves to the number of deleted items. */
  remove(scope: string, which: ArchiveFilter): Promise<number>;
  /** Deletes all items of an account. */
  forget(scope: string): Promise<void>;
}

/** A sealed item. */
export interface ArchiveRow {
  readonly ref: string;
  readonly conversation: string;
  readonly person: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

/** Archive rows, which outlive the process and are shared by all replicas. */
export interface ArchiveTable {
  /** Keeps an existing row. Beyond `bytesMax` in all, deletes the oldest of the scope. */
  add(scope: string, rows: readonly ArchiveRow[], bytesMax: number): Promise<void>;
  /** Undefined for an expired one. */
  find(scope: string, ref: string, nowMs: number): Promise<ArchiveRow | undefined>;
  remove(scope: string, which: ArchiveFilter): Promise<number>;
  forget(scope: string): Promise<void>;
  /** Deletes some expired rows; true if there may be more. */
  tidy(nowMs: number): Promise<boolean>;
}
