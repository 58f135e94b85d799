/** What modules keep. */
export interface ModuleTables {
  /** What modules keep, one row for each module and tenant. */
  readonly module_stores: {
    readonly scope: string;
    readonly module: string;
    readonly entries: number;
    /** The highest that a deleted entry had. */
    readonly last_version: number;
  };
  readonly module_entries: {
    readonly scope: string;
    readonly module: string;
    readonly key: string;
    /** As JSON. */
    readonly value: string;
    readonly version: number;
    readonly updated_at_ms: number;
  };
  /** Who keeps vectors: one row for each module and tenant. */
  readonly vector_owners: {
    readonly scope: string;
    readonly module: string;
    /** Another one when all was forgotten in between. */
    readonly epoch: string;
    readonly entries: number;
    /** That of the last vector that was added. */
    readonly last_number: number;
  };
  readonly vectors: {
    readonly scope: string;
    readonly module: string;
    readonly part: string;
    readonly id: string;
    readonly number: number;
    readonly space: string;
    /** One byte a value, from -127 to 127. */
    readonly codes: Uint8Array;
    readonly data: string;
    readonly added_at_ms: number;
    readonly expires_at_ms: number;
  };
  readonly archive: {
    readonly scope: string;
    readonly ref: string;
    readonly conversation: string;
    readonly person: string | null;
    readonly created_at_ms: number;
    readonly expires_at_ms: number;
    readonly sealed_by: string;
    readonly sealed: Uint8Array;
    readonly bytes: number;
  };
}
