export const storedPartNames = [
  ...(['request_log', 'log_sums', 'recordings', 'usage', 'receipts', 'modules', 'files', 'other'] as const),
] as const;
export type StoredPartName = (typeof storedPartNames)[number];

/** What a part of the database holds, with its indexes. */
export interface StoredPart {
  readonly name: StoredPartName;
  readonly bytes: number;
  /** What is added on a day, the mean of the last days; undefined for parts whose rows have no time. */
  readonly bytesPerDay: number | undefined;
}

export interface StorageReport {
  /** Includes pages that are free. */
  readonly bytes: number;
  readonly parts: readonly StoredPart[];
}
