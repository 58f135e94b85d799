import { isReady } from '../../kernel/reply/source.ts';
import { headerOf } from '../../lib/headers.ts';
import { isJsonType } from '../../wire/index.ts';
import { deliverStream } from './deliver-stream.ts';
import { deliverUnstreamed } from './deliver-unstreamed.ts';
import { type Delivery, type ReplyChunks, waitUntilRecorded } from './delivery.ts';
import { responseHeaders } from './response-headers.ts';

/** Writes the answer of a relay to its client, byte for byte. */
export async function deliverRelay(delivery: Delivery): Promise<void> {
  const { reply, exchange } = delivery.inFlightCall;
  const { clientRequest } = exchange;
  const { framing = 'json' } = reply;
  const type = headerOf(reply.headers, 'content-type') ?? '';
  try {
    const chunks = reply.bytes(clientRequest.wire, framing, clientRequest);
    if (framing === 'sse') await deliverStream(delivery, chunks);
    else if (isJsonType(type)) await deliverUnstreamed(delivery, chunks);
    else await deliverBytes(delivery, chunks, type);
  } finally {
    if (!reply.ended) await reply.discard();
    if (delivery.receipt !== undefined) await delivery.receipt.close();
  }
}

/** Passes on audio, files and texts as they arrive. An error breaks the connection. */
async function deliverBytes(delivery: Delivery, replyChunks: ReplyChunks, type: string): Promise<void> {
  const { res, inFlightCall, receipt } = delivery;
  const { status } = inFlightCall.reply;
  inFlightCall.headSent(status);
  res.writeHead(status, responseHeaders(delivery, 'json', type === '' ? 'application/octet-stream' : type));
  res.flushHead();
  for (;;) {
    const pulled = replyChunks.pull();
    const chunk = isReady(pulled) ? pulled : await pulled;
    if (chunk === undefined || res.isClosed) break;
    receipt?.addResponseBytes(chunk);
    if (!res.write(chunk)) await res.waitForDrain();
  }
  await waitUntilRecorded();
  res.end();
}
