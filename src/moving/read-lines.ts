import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { limits } from './limits.ts';
import { refusal } from './refusal.ts';

/** The lines of a file, with their ends. It may be compressed. Holds one line and one chunk. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let all = 0;
  for await (const chunk of unzipped(chunks)) {
    all += chunk.byteLength;
    if (all > limits.fileBytesMax) throw refusal(`it is larger than ${limits.fileBytesMax} bytes`);
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const last = chunk.subarray(from, end + 1);
      yield kept.length === 0 ? last : Buffer.concat([...kept, last]);
      kept = [];
      keptBytes = 0;
      from = end + 1;
    }
    if (from === chunk.byteLength) continue;
    kept.push(chunk.subarray(from));
    keptBytes += chunk.byteLength - from;
    if (keptBytes > limits.lineBytesMax) throw refusal(`a line is longer than ${limits.lineBytesMax} bytes`);
  }
  if (keptBytes > 0) throw refusal('it is truncated');
}

async function* unzipped(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await firstBytes(iterator);
  const rest = joined(first, iterator);
  if (!(first[0] === 0x1f && first[1] === 0x8b)) {
    yield* rest;
    return;
  }
  let failure: unknown;
  const source = pipeline(Readable.from(rest, { objectMode: true }), createGunzip(), (error) => {
    failure = error;
  });
  try {
    yield* source;
  } catch (error) {
    const cause = failure ?? error;
    if (isDamage(cause)) throw refusal('it is truncated or damaged', cause);
    throw cause;
  }
}

async function firstBytes(iterator: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (first.byteLength < 2) {
    const step = await iterator.next();
    if (step.done === true) return first;
    first = Buffer.concat([first, step.value]);
  }
  return first;
}

async function* joined(first: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncIterable<Buffer> {
  if (first.byteLength > 0) yield first;
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next())
    yield Buffer.from(step.value.buffer, step.value.byteOffset, step.value.byteLength);
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
