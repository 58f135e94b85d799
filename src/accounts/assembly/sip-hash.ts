// SipHash-2-4 with 128 bits, as its authors describe it: https://www.aumasson.jp/siphash/siphash.pdf

/** Where the key, the text and what comes of it are. */
export const keyAt = memory.data(16);
export const textAt = memory.data(16384);
export const hashAt = memory.data(16);

/** What is mixed lies in memory between calls of `mix`; within it, in the processor's registers. */
const stateAt = memory.data(32);
/** The last bytes of the text with its length, and a word that changes nothing. */
const lastAt = memory.data(8);
const zeroAt = memory.data(8);

export function run(length: i32): void {
  const k0 = load<u64>(keyAt);
  const k1 = load<u64>(keyAt, 8);
  store<u64>(stateAt, k0 ^ 0x736f6d6570736575);
  store<u64>(stateAt, k1 ^ 0x646f72616e646f6d ^ 0xee, 8);
  store<u64>(stateAt, k0 ^ 0x6c7967656e657261, 16);
  store<u64>(stateAt, k1 ^ 0x7465646279746573, 24);
  const whole = length & ~7;
  let last = u64(length) << 56;
  for (let at = whole, bits: u64 = 0; at < length; at++, bits += 8)
    last |= u64(load<u8>(textAt + at)) << bits;
  mix(textAt, whole, 2);
  store<u64>(lastAt, last);
  mix(lastAt, 8, 2);
  store<u64>(stateAt, load<u64>(stateAt, 16) ^ 0xee, 16);
  store<u64>(hashAt, finished());
  store<u64>(stateAt, load<u64>(stateAt, 8) ^ 0xdd, 8);
  store<u64>(hashAt, finished(), 8);
}

/** Nothing more is mixed in. */
function finished(): u64 {
  mix(zeroAt, 8, 4);
  return (
    load<u64>(stateAt) ^ load<u64>(stateAt, 8) ^ load<u64>(stateAt, 16) ^ load<u64>(stateAt, 24)
  );
}

function mix(from: usize, length: i32, rounds: i32): void {
  let v0 = load<u64>(stateAt);
  let v1 = load<u64>(stateAt, 8);
  let v2 = load<u64>(stateAt, 16);
  let v3 = load<u64>(stateAt, 24);
  for (let at = from; at < from + length; at += 8) {
    const word = load<u64>(at);
    v3 ^= word;
    for (let round = 0; round < rounds; round++) {
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
    v0 ^= word;
  }
  store<u64>(stateAt, v0);
  store<u64>(stateAt, v1, 8);
  store<u64>(stateAt, v2, 16);
  store<u64>(stateAt, v3, 24);
}
