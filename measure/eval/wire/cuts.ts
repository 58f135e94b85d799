import type { Recording } from './recordings.ts';

/** Streams up to this size are also sent byte by byte. */
const smallBytes = 8192;

/** Where a stream is cut when it is sent once more; nowhere for a whole answer. */
export function cutsFor({ kind, bytes }: Recording): readonly Cut[] {
  if (kind !== 'sse') return [];
  return bytes.length <= smallBytes
    ? [{ name: 'cut at every byte', cuts: Array.from({ length: bytes.length - 1 }, (_, at) => at + 1) }]
    : [{ name: 'cut anywhere', cuts: someCuts(bytes.length) }];
}

interface Cut {
  readonly name: string;
  readonly cuts: readonly number[];
}

/** At most 200 bytes apart, and the same ones every time. */
function someCuts(length: number): readonly number[] {
  const random = seeded(length);
  const step = () => 1 + Math.floor(random() * 200);
  const cuts: number[] = [];
  for (let at = step(); at < length; at += step()) cuts.push(at);
  return cuts;
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
