/** Superseded by collections, and used by the previous release: learned patterns, and the outcomes of conversations with and without them. */
export interface PatternTables {
  /** Owners of patterns: one row per scope. */
  readonly pattern_owners: {
    readonly owner: string;
    readonly entries: number;
    readonly version: number;
  };
  readonly patterns: {
    readonly owner: string;
    readonly id: string;
    readonly state: string;
    /** Empty for all end users. */
    readonly scope: string;
    readonly fingerprint: string;
    /** The searchable text, in lower case. */
    readonly words: string;
    /** As JSON. */
    readonly pattern: string;
  };
  readonly pattern_calls: {
    readonly owner: string;
    readonly request_id: string;
    readonly conversation: string;
    readonly at_ms: number;
  };
  /** What conversations were about. */
  readonly pattern_gists: {
    readonly owner: string;
    readonly conversation: string;
    readonly scope: string;
    readonly about: string;
    readonly at_ms: number;
  };
  readonly pattern_trials: {
    readonly owner: string;
    readonly conversation: string;
    readonly pattern_id: string;
    readonly held_out: number;
    /** In thousandths. */
    readonly good_milli: number;
    readonly bad_milli: number;
    readonly at_ms: number;
  };
  readonly outcomes: {
    readonly owner: string;
    readonly conversation: string;
    readonly request_id: string;
    readonly good_milli: number;
    readonly bad_milli: number;
    readonly note: string;
    readonly at_ms: number;
  };
}
