/** A change that a process is about to make, until its entry is in the audit log. */
export interface AnnouncedChange {
  /** That of its entry. */
  readonly id: string;
  /** JSON of what is known about it, without personal values. */
  readonly content: string;
}

interface TakenChanges {
  readonly nowMs: number;
  /** Until when nobody else takes them. */
  readonly untilMs: number;
  readonly limit: number;
}

/** Changes whose entries are not stored yet. */
export interface AnnouncedChanges {
  add(change: AnnouncedChange, untilMs: number): Promise<void>;
  /** Those that their process still makes. */
  renew(ids: readonly string[], untilMs: number): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Those that nobody has renewed, since their process was killed. */
  take(query: TakenChanges): Promise<readonly AnnouncedChange[]>;
}
