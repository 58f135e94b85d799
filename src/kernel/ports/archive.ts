/** What was left out of a conversation, for its account to read. */
export interface Archived {
  readonly ref: string;
  readonly conversation: string;
  readonly createdAtMs: number;
  readonly content: unknown;
}

/** What a module leaves out of requests, kept for the account behind the call. */
export interface Archive {
  /** What is there under the same name stays. What is too large, or can't be kept now, is not kept: `isKept` tells. */
  put(entry: NewArchived): Promise<{ readonly isKept: boolean }>;
}

export interface NewArchived {
  /** Letters and digits, up to 64; the same for the same content. */
  readonly ref: string;
  readonly conversation: string;
  /** JSON. */
  readonly content: unknown;
  readonly ttlSeconds: number;
}

/** Where archives of accounts come from. */
export interface Archives {
  of(scope: string): Archive;
  find(scope: string, ref: string): Promise<Archived | undefined>;
  /** False where there was none. */
  remove(scope: string, ref: string): Promise<boolean>;
  removeConversation(scope: string, conversation: string): Promise<void>;
  /** All that an account has. */
  forget(scope: string): Promise<void>;
}

/** A sealed entry. */
export interface ArchiveRow {
  readonly ref: string;
  readonly conversation: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

/** Rows of archives, which outlive the process and which all replicas share. */
export interface ArchiveTable {
  /** One that is there stays. Past `bytesMax` in all, the oldest of the scope are deleted. */
  add(scope: string, row: ArchiveRow, bytesMax: number): Promise<void>;
  /** Undefined for one whose time is over. */
  find(scope: string, ref: string, nowMs: number): Promise<ArchiveRow | undefined>;
  remove(scope: string, which: { readonly ref: string } | { readonly conversation: string }): Promise<number>;
  forget(scope: string): Promise<void>;
  /** Deletes some whose time is over; true where there may be more. */
  tidy(nowMs: number): Promise<boolean>;
}
