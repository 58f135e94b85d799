import { deliverStream } from './deliver-stream.ts';
import { deliverUnstreamed } from './deliver-unstreamed.ts';
import type { Delivery } from './delivery.ts';

/** Writes an answer to its client, in the client's format and the framing it asked for. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { reply, exchange } = delivery.inFlightCall;
  const { clientRequest } = exchange;
  const framing = clientRequest.streamed ? 'sse' : 'json';
  try {
    const chunks = reply.bytes(clientRequest.wire, framing, clientRequest);
    await (framing === 'sse' ? deliverStream(delivery, chunks) : deliverUnstreamed(delivery, chunks));
  } finally {
    // Whatever kept it from being sent: nobody reads it any more, and the call is over.
    if (!reply.ended) await reply.discard();
    if (delivery.receipt !== undefined) await delivery.receipt.close();
  }
}
