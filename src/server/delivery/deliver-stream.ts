import type { Underway } from '../../calls/underway.ts';
import { addPiece } from '../../kernel/add-piece.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { Chunks, Delivery } from './delivery.ts';
import { OutgoingStream } from './outgoing-stream.ts';

/** Passes a stream on frame by frame, for as long as somebody reads it or has paid for it. */
export async function deliverStream(delivery: Delivery, chunks: Chunks): Promise<void> {
  const { res, underway, metrics, sale } = delivery;
  const first = sale === undefined ? [] : await untilContent(underway, chunks);
  const paid = sale === undefined ? [] : await sale.take();
  const stream = new OutgoingStream(delivery, paid);
  metrics.streamOpened();
  try {
    for (;;) {
      const coming = first.shift() ?? chunks.pull();
      if (coming instanceof Promise) stream.flushHead();
      const chunk = coming instanceof Promise ? await coming : coming;
      if (chunk === undefined) break;
      const frames = stream.framed(chunk);
      if (frames === undefined) continue;
      if (!stream.write(frames)) await res.drained();
      if (res.isOver && sale?.outlives !== true) break;
    }
    stream.finish();
  } catch (thrown) {
    stream.breakOff(thrown);
  } finally {
    stream.silence();
    metrics.streamClosed();
    await chunks.stop();
  }
  await stream.end();
}

/** Everything up to the first content; refuses an answer without any. */
async function untilContent({ meter }: Underway, chunks: Chunks): Promise<Uint8Array[]> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; !meter.hasContent; ) {
    const chunk = await chunks.pull();
    bytes += chunk?.byteLength ?? 0;
    if (chunk === undefined || bytes > limits.frameBytesMax) throw answeredNothing();
    addPiece(first, chunk);
  }
  return first;
}

export function answeredNothing(): GatewayError {
  return new GatewayError('upstream_broken', 'the model answered nothing');
}
