/** Imports under way. */
export interface ImportTables {
  readonly imports: {
    readonly id: string;
    /** An account has one import at a time. */
    readonly account_id: string;
    /** 1 once the import is to be completed, whatever happens to its process. */
    readonly is_committed: number;
    readonly seen_at_ms: number;
  };
  /** Rows that nobody sees before they are in their tables. */
  readonly import_rows: {
    readonly import_id: string;
    readonly table_name: string;
    /** `add` or `replace`. */
    readonly how: string;
    readonly number: number;
    /** A JSON array of values, in the order of the columns. */
    readonly content: string;
  };
}
