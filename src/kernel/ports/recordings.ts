import type { LogFilter, LoggedCall } from './request-log.ts';

/** Which calls are recorded: none, a share of them, or all. */
export const recordingModes = ['off', 'sample', 'all'] as const;
export type RecordingMode = (typeof recordingModes)[number];

/** A recorded call, sealed. */
export interface RecordingRow {
  /** The id of the call. It starts with the time, so that ids are ordered by age. */
  readonly id: string;
  readonly accountId: string;
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

/** A recorded call in a list. */
export interface RecordingListItem {
  readonly id: string;
  /** The stored size, compressed and sealed. */
  readonly bytes: number;
}

export interface RecordingQuery {
  readonly accountId: string;
  /** Only recordings from this id on. */
  readonly fromId: string;
  /** Only recordings before this id; undefined for the newest. */
  readonly beforeId: string | undefined;
  readonly limit: number;
}

/** Conditions on the log's row of a recorded call; undefined ones match all, also recordings without a row. */
export interface RecordingFilter extends Pick<LogFilter, 'model' | 'status' | 'keyId' | 'keyIds'> {
  readonly costNanoUsdMin?: number | undefined;
  /** Of the recording, not of the call. */
  readonly bytesMin?: number | undefined;
}

export interface RecordingSearch extends RecordingQuery {
  readonly filter: RecordingFilter;
}

export interface RecordingPage {
  /** The newest first, with the log's rows of their calls; null where the log has none. */
  readonly recordings: readonly (RecordingListItem & { readonly call: LoggedCall | null })[];
  /** Where to continue; undefined if there is nothing older. */
  readonly next: string | undefined;
}

/** Recorded calls, which outlive the process and are shared by all replicas. */
export interface RecordingTable {
  /** Keeps an existing row. Beyond `bytesMax` in all, deletes the oldest recordings of an account. */
  add(rows: readonly RecordingRow[], bytesMax: number): Promise<void>;
  /** Undefined if the account has no such recording. */
  find(accountId: string, id: string): Promise<RecordingRow | undefined>;
  /** The newest first. */
  page(query: RecordingQuery): Promise<readonly RecordingListItem[]>;
  /** Limits the number of recordings that are looked at: a page may have fewer than `limit`, and still a `next`. */
  search(search: RecordingSearch): Promise<RecordingPage>;
  /** False if the account has no such recording. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Deletes all recordings of an account. */
  forget(accountId: string): Promise<void>;
  /** Deletes some recordings of all accounts before this id; true if there may be more. */
  forgetBefore(id: string): Promise<boolean>;
  /** The newest id that must go so that all recordings together have at most `bytesMax`; undefined if none must. */
  newestBeyond(bytesMax: number): Promise<string | undefined>;
}
