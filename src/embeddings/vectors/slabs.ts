/** Memory for vectors in slabs of one size, and dot products of a query with the vectors in a slab. */
export interface Slabs {
  /** The maximum number of slabs. */
  readonly capacity: number;
  readonly allocated: number;
  /** Undefined if all slabs are in use. */
  allocate(): number | undefined;
  free(slab: number): void;
  /** `position` is the index of the vector within the slab. */
  write(slab: number, position: number, codes: Int8Array): void;
  /** Dot products with the first `count` vectors of a slab; the next call overwrites the list. */
  dotProducts(slab: number, count: number): Int32Array;
  /** Sets the vector for the next dot products. */
  setQuery(query: Int8Array): void;
}

export const slabBytes = 6144;
/** Vectors are padded with zeros to a multiple of this. */
export const stride = 16;

export function paddedSize(size: number): number {
  return Math.ceil(size / stride) * stride;
}

/** How many vectors of this size fit into a slab. */
export function vectorsInSlab(size: number): number {
  return Math.floor(slabBytes / paddedSize(size));
}
