/** The audit log: hash chains of accounts and of the instance. */
export interface AuditTables {
  /** The newest entry of each chain. */
  readonly audit_chains: {
    /** The id of an account, or `instance`. */
    readonly chain: string;
    readonly number: number;
    readonly hash: string;
    readonly at_ms: number;
    /** The number of the newest entry that a signed statement covers. */
    readonly signed: number;
  };
  readonly audit_entries: {
    readonly chain: string;
    readonly number: number;
    readonly id: string;
    readonly at_ms: number;
    readonly event: string;
    readonly actor: string;
    /** Canonical JSON, whose hash is in the next entry. */
    readonly content: string;
  };
  /** Personal values, to which entries have commitments only. */
  readonly audit_values: {
    readonly chain: string;
    readonly number: number;
    /** The id of a person; empty if nobody is known. */
    readonly person: string;
    /** JSON: values and salts by field. */
    readonly content: string;
  };
  /** Changes whose entries are not stored yet. */
  readonly announced_changes: {
    readonly id: string;
    /** JSON, without personal values. */
    readonly content: string;
    /** When it is another process that adds the entry. */
    readonly until_ms: number;
  };
  readonly audit_points: {
    readonly chain: string;
    readonly number: number;
    readonly at_ms: number;
    readonly jws: string;
  };
}
