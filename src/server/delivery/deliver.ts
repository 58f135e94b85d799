import { deliverStream } from './deliver-stream.ts';
import { deliverUnstreamed } from './deliver-unstreamed.ts';
import type { Delivery } from './delivery.ts';

/** Writes an answer to its client, in the client's wire format, streamed or not. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { reply, exchange } = delivery.inFlightCall;
  const { clientRequest } = exchange;
  const framing = clientRequest.streamed ? 'sse' : 'json';
  try {
    const chunks = reply.bytes(clientRequest.wire, framing, clientRequest);
    await (framing === 'sse' ? deliverStream(delivery, chunks) : deliverUnstreamed(delivery, chunks));
  } finally {
    // After any delivery error the call ends, since no client reads the answer.
    if (!reply.ended) await reply.discard();
    if (delivery.receipt !== undefined) await delivery.receipt.close();
  }
}
