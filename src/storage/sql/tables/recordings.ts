/** Recorded calls. */
export interface RecordingTables {
  readonly recordings: {
    /** The id of the call. */
    readonly id: string;
    readonly account_id: string;
    /** The length of `sealed`; before it, so that sums don't read the content. */
    readonly bytes: number;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
  };
}
