import type { PullResult } from './source.ts';

/** Removes parts of streamed bytes. */
export interface ByteFilter {
  /** The bytes to forward now; undefined if there are none. */
  push(chunk: Uint8Array): Uint8Array | undefined;
  /** The bytes held back, at the end of the stream. */
  end(): Uint8Array | undefined;
}

/** Applies a filter to a source of bytes. */
export function filterBytes(pull: () => PullResult<Uint8Array>, filter: ByteFilter) {
  return async (): Promise<Uint8Array | undefined> => {
    for (let chunk = await pull(); chunk !== undefined; chunk = await pull()) {
      const passed = filter.push(chunk);
      if (passed !== undefined) return passed;
    }
    return filter.end();
  };
}
