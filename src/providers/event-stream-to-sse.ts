import type { Source } from '../kernel/reply/source.ts';
import { AwsEventStreamToSse } from '../wire/aws-event-stream-to-sse.ts';

/** Converts Amazon's event stream to server-sent events. */
export function eventStreamToSse(body: Source<Uint8Array>): Source<Uint8Array> {
  const events = new AwsEventStreamToSse();
  return {
    async next() {
      try {
        for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
          const frames = events.push(chunk);
          if (frames.byteLength > 0) return frames;
        }
        return undefined;
      } catch (failure) {
        body.cancel();
        throw failure;
      }
    },
    cancel: () => body.cancel(),
  };
}
