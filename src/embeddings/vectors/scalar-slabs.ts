import { paddedSize, type Slabs, slabBytes, stride } from './slabs.ts';

/** Multiplies value by value, for machines without WebAssembly SIMD. */
export function createScalarSlabs(bytesMax: number): Slabs {
  const capacity = Math.floor(bytesMax / slabBytes);
  const slabs: Int8Array[] = [];
  const free: number[] = [];
  const products = new Int32Array(slabBytes / stride);
  let query: Int8Array = new Int8Array();
  return {
    capacity,
    get allocated() {
      return slabs.length - free.length;
    },
    allocate() {
      const again = free.pop();
      if (again !== undefined || slabs.length >= capacity) return again;
      return slabs.push(new Int8Array(slabBytes)) - 1;
    },
    free: (slab) => void free.push(slab),
    write: (slab, place, codes) => slabs[slab]?.set(codes, place * paddedSize(codes.length)),
    setQuery(codes) {
      query = codes;
    },
    dotProducts(slab, count) {
      const codes = slabs[slab] ?? new Int8Array();
      const size = paddedSize(query.length);
      for (let place = 0; place < count; place++) {
        let sum = 0;
        for (let at = 0; at < query.length; at++) sum += (codes[place * size + at] ?? 0) * (query[at] ?? 0);
        products[place] = sum;
      }
      return products;
    },
  };
}
