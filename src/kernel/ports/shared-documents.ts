/** Small JSON texts that all replicas change. They may be lost at any time. */
export interface SharedDocuments {
  /** Undefined if there is none. */
  read(name: string): Promise<StoredDocument | undefined>;
  /** Replaces the document with this revision, or adds one if it is undefined; false if there is another by now. */
  write(name: string, before: string | undefined, document: StoredDocument): Promise<boolean>;
  delete(name: string): Promise<void>;
  deleteByPrefix(prefix: string): Promise<void>;
  deleteExpired(nowMs: number): Promise<void>;
}

export interface StoredDocument {
  /** Different after each change. */
  readonly revision: string;
  readonly text: string;
  /** When it may be deleted. */
  readonly untilMs: number;
}
