/** Configurations, stores and vectors of modules. */
export interface ModuleTables {
  readonly configurations: {
    readonly account_id: string;
    readonly module: string;
    readonly name: string;
    /** As JSON. */
    readonly content: string;
    readonly version: string;
    readonly updated_at_ms: number;
  };
  /** Module stores: one row per module and scope. */
  readonly module_stores: {
    readonly scope: string;
    readonly module: string;
    readonly entries: number;
    /** The highest version of a deleted entry. */
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
  /** Entries of collections; `text1` to `integer2` have the fields that a collection declares. */
  readonly collection_entries: {
    readonly scope: string;
    readonly module: string;
    readonly collection: string;
    readonly key: string;
    /** As JSON; null if sealed. */
    readonly value: string | null;
    readonly sealed_by: string | null;
    readonly sealed: Uint8Array | null;
    readonly bytes: number;
    readonly version: number;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
    readonly expires_at_ms: number | null;
    readonly text1: string | null;
    readonly text2: string | null;
    readonly text3: string | null;
    readonly text4: string | null;
    readonly integer1: number | null;
    readonly integer2: number | null;
  };
  /** Sizes of collections that have bounds. Writers of such a collection lock its row. */
  readonly collection_counters: {
    readonly scope: string;
    readonly module: string;
    readonly collection: string;
    readonly entries: number;
    readonly bytes: number;
    readonly revision: number;
  };
  /** Owners of vectors: one row per module and scope. */
  readonly vector_owners: {
    readonly scope: string;
    readonly module: string;
    /** Changes when all vectors were deleted in between. */
    readonly epoch: string;
    readonly entries: number;
    /** The number of the last added vector. */
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
