/** Memory for vectors in pieces of one size, and the products of a vector with those in a piece. */
export interface Slabs {
  /** How many of them there can be. */
  readonly capacity: number;
  readonly allocated: number;
  /** Undefined where all are taken. */
  allocate(): number | undefined;
  free(slab: number): void;
  /** `place` counts the vectors of this size before it. */
  write(slab: number, place: number, codes: Int8Array): void;
  /** Products with the first `count` vectors of a slab; the list is written over by the next question. */
  dotProducts(slab: number, count: number): Int32Array;
  /** What the next products are with. */
  setQuery(query: Int8Array): void;
}

export const slabBytes = 6144;
/** Vectors are filled up with zeros to a multiple of this. */
export const stride = 16;

export function paddedSize(size: number): number {
  return Math.ceil(size / stride) * stride;
}

/** Vectors of this size in a slab. */
export function vectorsInSlab(size: number): number {
  return Math.floor(slabBytes / paddedSize(size));
}
