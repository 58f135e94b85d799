/** Stores and vectors of modules. */
export interface ModuleTables {
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
