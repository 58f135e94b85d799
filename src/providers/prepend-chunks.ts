import type { PullResult, Source } from '../kernel/reply/source.ts';

/** Yields the buffered chunks, then the pending one, then the rest. */
export function prependChunks(
  buffered: Uint8Array[],
  rest: Source<Uint8Array>,
  waitedFor?: PullResult<Uint8Array>,
): Source<Uint8Array> {
  let pending = waitedFor;
  return {
    next() {
      const chunk = buffered.shift();
      if (chunk !== undefined) return chunk;
      if (pending === undefined) return rest.next();
      const due = pending;
      pending = undefined;
      return due;
    },
    cancel() {
      buffered.length = 0;
      Promise.resolve(pending).catch(() => undefined);
      rest.cancel();
    },
  };
}
