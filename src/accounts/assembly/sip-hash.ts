// SipHash-2-4 with 128 bits, as its authors describe it: https://www.aumasson.jp/siphash/siphash.pdf

/** Where the key, the text and what comes of it are. */
export const keyAt = memory.data(16);
export const textAt = memory.data(16384);
export const hashAt = memory.data(16);

let v0: u64 = 0;
let v1: u64 = 0;
let v2: u64 = 0;
let v3: u64 = 0;

export function run(length: i32): void {
  const k0 = load<u64>(keyAt);
  const k1 = load<u64>(keyAt, 8);
  v0 = k0 ^ 0x736f6d6570736575;
  v1 = k1 ^ 0x646f72616e646f6d ^ 0xee;
  v2 = k0 ^ 0x6c7967656e657261;
  v3 = k1 ^ 0x7465646279746573;
  let at = 0;
  for (; at + 8 <= length; at += 8) mix(load<u64>(textAt + at));
  let last = u64(length) << 56;
  for (let bits: u64 = 0; at < length; at++, bits += 8) last |= u64(load<u8>(textAt + at)) << bits;
  mix(last);
  v2 ^= 0xee;
  store<u64>(hashAt, finished());
  v1 ^= 0xdd;
  store<u64>(hashAt, finished(), 8);
}

function mix(word: u64): void {
  v3 ^= word;
  round();
  round();
  v0 ^= word;
}

function finished(): u64 {
  for (let rounds = 0; rounds < 4; rounds++) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

function round(): void {
  v0 += v1;
  v1 = rotl(v1, 13) ^ v0;
  v0 = rotl(v0, 32);
  v2 += v3;
  v3 = rotl(v3, 16) ^ v2;
  v0 += v3;
  v3 = rotl(v3, 21) ^ v0;
  v2 += v1;
  v1 = rotl(v1, 17) ^ v2;
  v2 = rotl(v2, 32);
}
