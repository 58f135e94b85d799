/** What was left out of a conversation, for its account to read. */
export interface ArchivedItem {
  readonly ref: string;
  readonly conversation: string;
  readonly createdAtMs: number;
  readonly content: unknown;
}

/** What a module leaves out of requests, kept for the account behind the call. */
export interface Archive {
  /** What is there under the same name stays. What is too large is not kept: the answer has the names of what is. */
  put(entries: readonly NewArchivedItem[]): Promise<readonly string[]>;
}

export interface NewArchivedItem {
  /** Letters and digits, up to 64; the same for the same content. */
  readonly ref: string;
  readonly conversation: string;
  /** A name for the end user whom it is for; null where it is the whole account's. */
  readonly person: string | null;
  /** JSON. */
  readonly content: unknown;
  readonly ttlSeconds: number;
}

/** Entries of a tenant: all that is said of them holds. */
export interface ArchiveFilter {
  readonly ref?: string;
  readonly conversation?: string;
  readonly person?: string;
}

/** Where archives of accounts come from. */
export interface Archives {
  of(scope: string): Archive;
  /** With a person, what is another's is not found. */
  find(scope: string, which: ArchiveFilter & { readonly ref: string }): Promise<ArchivedItem | undefined>;
  /** How many there were. */
  remove(scope: string, which: ArchiveFilter): Promise<number>;
  /** All that an account has. */
  forget(scope: string): Promise<void>;
}

/** A sealed entry. */
export interface ArchiveRow {
  readonly ref: string;
  readonly conversation: string;
  readonly person: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

/** Rows of archives, which outlive the process and which all replicas share. */
export interface ArchiveTable {
  /** One that is there stays. Past `bytesMax` in all, the oldest of the scope are deleted. */
  add(scope: string, rows: readonly ArchiveRow[], bytesMax: number): Promise<void>;
  /** Undefined for one whose time is over. */
  find(scope: string, ref: string, nowMs: number): Promise<ArchiveRow | undefined>;
  remove(scope: string, which: ArchiveFilter): Promise<number>;
  forget(scope: string): Promise<void>;
  /** Deletes some whose time is over; true where there may be more. */
  tidy(nowMs: number): Promise<boolean>;
}
