/** An item removed from a conversation, for its account to read. */
export interface ArchivedItem extends ArchivedItemInfo {
  readonly content: unknown;
}

export interface ArchivedItemInfo {
  readonly ref: string;
  readonly conversation: string;
  /** The pseudonym of its end user; null if it belongs to the whole account. */
  readonly person: string | null;
  readonly createdAtMs: number;
}

/**
 * What modules removed from requests of the account behind the call. A call finds the items of its own end user and
 * those of the whole account.
 */
export interface Archive {
  /**
   * Keeps an existing item with the same ref. Skips items that are too large: resolves to the refs of the stored
   * ones.
   */
  put(items: readonly NewArchivedItem[]): Promise<readonly string[]>;
  find(ref: string): Promise<ArchivedItem | undefined>;
  /** The newest first. */
  list(options?: ArchiveListOptions): Promise<ArchivePage>;
  /** The items that share the most words with a text, the best first. Only the newest items are searched. */
  search(text: string, options?: ArchiveSearchOptions): Promise<readonly ArchivedItem[]>;
}

export interface NewArchivedItem extends Omit<ArchivedItem, 'createdAtMs'> {
  readonly ttlSeconds: number;
}

export interface ArchiveSearchOptions {
  readonly conversation?: string | undefined;
  /** Only items of this end user, or of the whole account if null. */
  readonly person?: string | null | undefined;
  readonly limit?: number | undefined;
}

export interface ArchiveListOptions extends ArchiveSearchOptions {
  /** `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface ArchivePage {
  readonly items: readonly ArchivedItemInfo[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}
