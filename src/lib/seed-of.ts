/** A number from 0 to 1, evenly spread, the same for the same text: FNV-1a, mixed. Not for secrets. */
export function seedOf(text: string): number {
  let bits = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  return (mix32(bits) + 0.5) / 2 ** 32;
}

/** The finalizer of MurmurHash3: every bit of the input changes each bit of the result with a chance of one half. */
export function mix32(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
