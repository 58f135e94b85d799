import type { InFlightCall } from '../../calls/in-flight-call.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { appendChunk } from '../../lib/append-chunk.ts';
import { limits } from '../../wire/limits.ts';
import type { Delivery, ReplyChunks } from './delivery.ts';
import { OutgoingStream } from './outgoing-stream.ts';

/** Relays a stream frame by frame, while the client reads it or has paid for it. */
export async function deliverStream(delivery: Delivery, replyChunks: ReplyChunks): Promise<void> {
  const { res, inFlightCall, metrics, payment } = delivery;
  const first = payment === undefined ? [] : await readUntilContent(inFlightCall, replyChunks);
  const paid = payment === undefined ? [] : await payment.capture();
  const stream = new OutgoingStream(delivery, paid);
  metrics.streamOpened();
  try {
    for (;;) {
      const chunk = first.shift() ?? (await replyChunks.pull());
      if (chunk === undefined) break;
      const frames = stream.takeFrames(chunk);
      if (frames === undefined) continue;
      if (!stream.write(frames)) await res.waitForDrain();
      if (res.isClosed && payment?.continuesWithoutClient !== true) break;
    }
    stream.finish();
  } catch (thrown) {
    stream.fail(thrown);
  } finally {
    stream.stopKeepAlive();
    metrics.streamClosed();
    await replyChunks.stop();
  }
  await stream.end();
}

/** Reads up to the first content; rejects an empty answer. */
async function readUntilContent({ meter }: InFlightCall, replyChunks: ReplyChunks): Promise<Uint8Array[]> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; !meter.hasContent; ) {
    const chunk = await replyChunks.pull();
    bytes += chunk?.byteLength ?? 0;
    if (chunk === undefined || bytes > limits.frameBytesMax) throw emptyAnswerError();
    appendChunk(first, chunk);
  }
  return first;
}

export function emptyAnswerError(): GatewayError {
  return new GatewayError('upstream_broken', 'the model returned an empty answer');
}
