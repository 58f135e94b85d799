import type { PullResult } from './source.ts';

/** Takes something out of bytes on their way. */
export interface ByteFilter {
  /** What may go on now; undefined where that is nothing. */
  push(chunk: Uint8Array): Uint8Array | undefined;
  /** What was held back, once nothing more comes. */
  end(): Uint8Array | undefined;
}

type Pull = () => PullResult<Uint8Array>;

/** The same bytes, as a filter lets them through. */
export function filterBytes(pull: Pull, filter: ByteFilter): Pull {
  const later = async (coming: Promise<Uint8Array | undefined>) => {
    for (let chunk = await coming; chunk !== undefined; chunk = await pull()) {
      const passed = filter.push(chunk);
      if (passed !== undefined) return passed;
    }
    return filter.end();
  };
  return () => {
    for (let chunk = pull(); chunk !== undefined; chunk = pull()) {
      if (chunk instanceof Promise) return later(chunk);
      const passed = filter.push(chunk);
      if (passed !== undefined) return passed;
    }
    return filter.end();
  };
}
