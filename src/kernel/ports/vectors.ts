import type { Vector } from './embeddings.ts';

/** Vectors that a module keeps for one tenant, to be found by what lies near them. Nothing here throws but for wrong arguments. */
export interface Vectors {
  /** One that is there under this id is replaced. Past the bound of the tenant's, its oldest go first. */
  add(entry: NewVector): Promise<VectorWriteResult>;
  /** Those of the same space, the nearest first. What was added elsewhere is found after a second, what was removed never. */
  search(near: Vector, question?: VectorQuery): Promise<VectorSearchResult>;
  /** Of these, the data of those that are there, by id; undefined where nobody can say. Up to 100 at a time. */
  data(ids: readonly string[], part?: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** In one part; in that without a name where none is said. Up to 100 at a time. */
  remove(ids: readonly string[], part?: string): Promise<VectorWriteResult>;
  /** Removes all that this module keeps for this tenant. */
  forget(): Promise<VectorWriteResult>;
}

export interface NewVector {
  /** No two in a part have the same; up to 128 characters. */
  readonly id: string;
  readonly vector: Vector;
  /** Parts are searched one at a time: what must not be found together is kept apart, and small parts are quick to load. */
  readonly part?: string;
  /** Comes back with what is found, up to 4 KiB. */
  readonly data?: string;
  readonly ttlSeconds: number;
}

export interface VectorQuery {
  readonly part?: string;
  /** 10 unless said, up to 100. */
  readonly most?: number;
  /** The least cosine that counts; 0 unless said. */
  readonly least?: number;
  /** 300 ms unless said: a large part that isn't in memory takes longer to be read, and will be there the next time. */
  readonly deadlineMs?: number;
}

export interface VectorMatch {
  readonly id: string;
  readonly cosine: number;
  readonly data: string;
  readonly addedAtMs: number;
}

/**
 * - `away`: the database doesn't answer.
 * - `late`: it took longer than whoever asked could wait.
 * - `full`: the part is larger than all the memory for vectors.
 */
export type VectorFailureReason = 'away' | 'late' | 'full';

export type VectorSearchResult =
  | { readonly found: readonly VectorMatch[]; readonly why?: undefined }
  | { readonly found?: undefined; readonly why: VectorFailureReason };

export interface VectorWriteResult {
  /** Undefined where it is done. */
  readonly why?: VectorFailureReason | undefined;
}

/** Where modules' vectors come from; what one module keeps for one tenant, no other finds. */
export interface VectorStores {
  vectors(module: string, scope: string): Vectors;
  /** Deletes all that any module kept for a tenant. */
  forget(scope: string): Promise<void>;
}

/** Rows of vectors, which outlive the process and which all replicas share. */
export interface VectorTable {
  /** Replaces one with the same part and id. Of all that the owner has, the oldest are deleted past `most`. */
  add(owner: VectorOwner, row: VectorRow, most: number): Promise<void>;
  remove(owner: VectorOwner, part: string, ids: readonly string[]): Promise<void>;
  /** Of all its modules where none is named. */
  forget(owner: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void>;
  /** What was added to a part since it was last asked for, in order, some at a time. */
  added(owner: VectorOwner, question: AddedVectorsQuery): Promise<AddedVectorsPage>;
  /** Those that are still there. */
  find(owner: VectorOwner, part: string, ids: readonly string[]): Promise<readonly VectorRow[]>;
  /** Deletes some whose time is over; true where there may be more. */
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
  /** How many at a time; `limits.vectorRowsAtOnce` unless said. */
  readonly most?: number;
}

/** How far somebody has read. */
export interface VectorCursor {
  /** Changes when all was forgotten. */
  readonly epoch: string;
  readonly upTo: number;
}

export interface AddedVectorsPage extends VectorCursor {
  readonly rows: readonly Omit<VectorRow, 'data'>[];
  /** Whether what was known before is still there. */
  readonly goesOn: boolean;
  readonly isAll: boolean;
}
