// AssemblyScript, built by `npm run build:wasm`. Multiplies a vector with those of a block, eight values at a time.

/** The longest vector, in values. */
export const sizeMax: i32 = 4096;
/** All vectors of a block together, in values: half a megabyte. */
export const blockValues: i32 = 131072;
export const queryAt: usize = (__heap_base + 15) & ~15;
export const blockAt: usize = queryAt + 4 * sizeMax;
/** Room for the products of a block of the smallest vectors. */
export const productsAt: usize = blockAt + 4 * blockValues;

/** Sizes are multiples of eight. */
export function multiply(count: i32, size: i32): void {
  let at: usize = blockAt;
  let to: usize = productsAt;
  const queryEnd: usize = queryAt + 4 * size;
  for (let vector = 0; vector < count; vector++) {
    let even = f32x4.splat(0);
    let odd = f32x4.splat(0);
    for (let from: usize = queryAt; from < queryEnd; from += 32, at += 32) {
      even = f32x4.add(even, f32x4.mul(v128.load(at), v128.load(from)));
      odd = f32x4.add(odd, f32x4.mul(v128.load(at, 16), v128.load(from, 16)));
    }
    const sum = f32x4.add(even, odd);
    store<f32>(
      to,
      f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3),
    );
    to += 4;
  }
}
