import type { Vector } from './embeddings.ts';

/** Vectors that a module keeps for one tenant, to be found by what lies near them. Nothing here throws but for wrong arguments. */
export interface Vectors {
  /** One that is there under this id is replaced. Past the bound of the tenant's, its oldest go first. */
  add(entry: NewVector): Promise<VectorsDone>;
  /** Those of the same space, the nearest first. What was added or removed elsewhere is known after a second. */
  search(near: Vector, question?: VectorQuestion): Promise<VectorsFound>;
  remove(ids: readonly string[]): Promise<VectorsDone>;
  /** Removes all that this module keeps for this tenant. */
  forget(): Promise<VectorsDone>;
}

export interface NewVector {
  /** Of this module for this tenant, in whatever part it is; up to 128 characters. */
  readonly id: string;
  readonly vector: Vector;
  /** Parts are searched one at a time: what must not be found together is kept apart, and small parts are quick to load. */
  readonly part?: string;
  /** Comes back with what is found, up to 4 KiB. */
  readonly data?: string;
  readonly ttlSeconds: number;
}

interface VectorQuestion {
  readonly part?: string;
  /** 10 unless said, up to 100. */
  readonly most?: number;
  /** The least cosine that counts; 0 unless said. */
  readonly least?: number;
  /** 300 ms unless said: a large part that isn't in memory takes longer to be read, and will be there the next time. */
  readonly deadlineMs?: number;
}

export interface FoundVector {
  readonly id: string;
  readonly cosine: number;
  readonly data: string;
  readonly addedAtMs: number;
}

/**
 * - `away`: the database doesn't answer.
 * - `late`: it took longer than whoever asked could wait.
 * - `full`: memory for vectors is taken by others.
 */
type WhyNotFound = 'away' | 'late' | 'full';

export type VectorsFound =
  | { readonly found: readonly FoundVector[]; readonly why?: undefined }
  | { readonly found?: undefined; readonly why: WhyNotFound };

interface VectorsDone {
  /** Undefined where it is done. */
  readonly why?: WhyNotFound | undefined;
}

/** Where modules' vectors come from; what one module keeps for one tenant, no other finds. */
export interface VectorShelves {
  vectors(module: string, scope: string): Vectors;
  /** Deletes all that any module kept for a tenant. */
  forget(scope: string): Promise<void>;
}
