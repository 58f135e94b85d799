// AssemblyScript, built by `npm run build:wasm`. Multiplies a vector of bytes with those of a slab, 16 values at a time.

/** The size of a slab; a vector never spans two slabs. */
export const slabBytes: i32 = 6144;
/** Sizes are multiples of this, padded with zeros. */
export const stride: i32 = 16;
export const queryAt: usize = memory.data(slabBytes, 16);
/** Room for the products of a slab of the smallest vectors. */
export const productsAt: usize = memory.data(4 * (slabBytes / stride), 16);
/** The start of the slabs. */
export const slabsAt: usize = (__heap_base + 15) & ~15;

/** Codes are from -127 to 127, so that two products fit into 16 bits. */
export function multiply(slabAt: usize, count: i32, size: i32): void {
  let at: usize = slabAt;
  let to: usize = productsAt;
  const queryEnd: usize = queryAt + size;
  for (let vector = 0; vector < count; vector++) {
    let sum = i32x4.splat(0);
    for (let from: usize = queryAt; from < queryEnd; from += 16, at += 16) {
      const one = v128.load(at);
      const other = v128.load(from);
      const pairs = i16x8.add(i16x8.extmul_low_i8x16_s(one, other), i16x8.extmul_high_i8x16_s(one, other));
      sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_s(pairs));
    }
    const total =
      i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
    store<i32>(to, total);
    to += 4;
  }
}
