import type { Vector } from './embeddings.ts';

/** Searchable vectors of a module for one tenant. Throws only for invalid arguments. */
export interface Vectors {
  /** Replaces a vector with the same id. Beyond the tenant's limit, deletes the oldest. */
  add(entry: NewVector): Promise<VectorWriteResult>;
  /**
   * Vectors of the same space, the nearest first. Finds additions of other processes after a second; never finds
   * removed ones.
   */
  search(near: Vector, query?: VectorQuery): Promise<VectorSearchResult>;
  /** The data of existing ones, by id; undefined if unavailable. Up to 100 at a time. */
  data(ids: readonly string[], part?: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** From one partition, by default the unnamed one. Up to 100 at a time. */
  remove(ids: readonly string[], part?: string): Promise<VectorWriteResult>;
  /** Removes all vectors of this module for this tenant. */
  forget(): Promise<VectorWriteResult>;
}

export interface NewVector {
  /** Unique within a partition; up to 128 characters. */
  readonly id: string;
  readonly vector: Vector;
  /**
   * The partition. Partitions are searched one at a time: they separate what must not be found together, and small
   * ones load fast.
   */
  readonly part?: string;
  /** Returned with matches, up to 4 KiB. */
  readonly data?: string;
  readonly ttlSeconds: number;
}

export interface VectorQuery {
  readonly part?: string;
  /** 10 by default, up to 100. */
  readonly most?: number;
  /** The minimum cosine; 0 by default. */
  readonly least?: number;
  /** 300 ms by default: a large partition that isn't in memory takes longer to load, and is available the next time. */
  readonly deadlineMs?: number;
}

export interface VectorMatch {
  readonly id: string;
  readonly cosine: number;
  readonly data: string;
  readonly addedAtMs: number;
}

/**
 * - `away`: the database doesn't respond.
 * - `late`: it took longer than the deadline.
 * - `full`: the partition is larger than all the memory for vectors.
 */
export type VectorFailureReason = 'away' | 'late' | 'full';

export type VectorSearchResult =
  | { readonly found: readonly VectorMatch[]; readonly why?: undefined }
  | { readonly found?: undefined; readonly why: VectorFailureReason };

export interface VectorWriteResult {
  /** Undefined on success. */
  readonly why?: VectorFailureReason | undefined;
}

/** Creates vector stores, separate for each module and tenant. */
export interface VectorStores {
  vectors(module: string, scope: string): Vectors;
  /** Deletes all vectors of a tenant. */
  forget(scope: string): Promise<void>;
}

/** Vector rows, which outlive the process and are shared by all replicas. */
export interface VectorTable {
  /** Replaces one with the same partition and id. Deletes the owner's oldest beyond `most`. */
  add(owner: VectorOwner, row: VectorRow, most: number): Promise<void>;
  remove(owner: VectorOwner, part: string, ids: readonly string[]): Promise<void>;
  /** Of all modules if none is given. */
  forget(owner: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void>;
  /** What was added to a partition since the cursor, in order, in chunks. */
  added(owner: VectorOwner, query: AddedVectorsQuery): Promise<AddedVectorsPage>;
  /** Those that still exist. */
  find(owner: VectorOwner, part: string, ids: readonly string[]): Promise<readonly VectorRow[]>;
  /** Deletes some expired ones; true if there may be more. */
  tidy(nowMs: number): Promise<boolean>;
}

export interface VectorOwner {
  readonly module: string;
  readonly scope: string;
}

export interface VectorRow {
  readonly part: string;
  readonly id: string;
  readonly space: string;
  readonly codes: Int8Array;
  readonly data: string;
  readonly addedAtMs: number;
  readonly expiresAtMs: number;
}

export interface AddedVectorsQuery {
  readonly part: string;
  readonly since?: VectorCursor | undefined;
  /** The chunk size; `limits.vectorRowsAtOnce` by default. */
  readonly most?: number;
}

/** A read position. */
export interface VectorCursor {
  /** Changes when everything was deleted. */
  readonly epoch: string;
  readonly upTo: number;
}

export interface AddedVectorsPage extends VectorCursor {
  readonly rows: readonly Omit<VectorRow, 'data'>[];
  /** Whether vectors read earlier still exist. */
  readonly goesOn: boolean;
  readonly isAll: boolean;
}
