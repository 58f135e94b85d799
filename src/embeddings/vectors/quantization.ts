/** A vector as bytes from -127 to 127, by the largest of its values: what the cosine loses by that is a thousandth or two. */
export function quantize(values: Float32Array): Int8Array {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const scale = 127 / (largest || 1);
  return Int8Array.from(values, (value) => Math.round(value * scale));
}

/** What a product has to be multiplied with, for each of the two, to be a cosine; 0 for a vector without direction. */
export function inverseNorm(codes: Int8Array): number {
  let squares = 0;
  // By index: this runs over every vector that is read, and an iterator takes three times as long.
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    squares += code * code;
  }
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}
