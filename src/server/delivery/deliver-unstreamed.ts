import { GatewayError } from '../../kernel/errors.ts';
import { formatUsd } from '../../kernel/money.ts';
import { isReady } from '../../kernel/reply/source.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { limits } from '../limits.ts';
import { type Delivery, type ReplyChunks, waitUntilRecorded } from './delivery.ts';
import { responseHeaders } from './response-headers.ts';

/** Buffers an unstreamed answer so that a header can carry its cost; streams a huge one. */
export async function deliverUnstreamed(delivery: Delivery, replyChunks: ReplyChunks): Promise<void> {
  const { res, inFlightCall, receipt, payment } = delivery;
  const buffered: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const pulled = replyChunks.pull();
    const chunk = isReady(pulled) ? pulled : await pulled;
    if (chunk === undefined) break;
    if (heldBytes <= limits.bufferedAnswerBytesMax) {
      buffered.push(chunk);
      heldBytes += chunk.byteLength;
      continue;
    }
    if (payment !== undefined)
      throw new GatewayError('upstream_broken', 'the answer of the model is too large');
    if (!res.headersSent) startBeforeEnd(delivery, buffered.splice(0));
    receipt?.addResponseBytes(chunk);
    if (!res.write(chunk)) await res.waitForDrain();
  }
  await waitUntilRecorded();
  const received = buffered.length === 1 && buffered[0] !== undefined ? buffered[0] : Buffer.concat(buffered);
  const body = inFlightCall.reply.withoutSecrets(received);
  receipt?.addResponseBytes(body);
  if (receipt?.isStoredFirst === true) await receipt.close();
  if (res.headersSent) {
    res.end();
    return;
  }
  const paid = payment === undefined ? [] : await payment.capture(body);
  payment?.addResponseBytes(body);
  res.writeHead(inFlightCall.reply.status, unstreamedHeaders(delivery, body, paid));
  res.end(body);
}

/** Starts the response before the cost is known. */
function startBeforeEnd(delivery: Delivery, buffered: readonly Uint8Array[]): void {
  const { res, inFlightCall, receipt } = delivery;
  inFlightCall.headSent(inFlightCall.reply.status);
  res.writeHead(inFlightCall.reply.status, responseHeaders(delivery, 'json'));
  for (const chunk of buffered) {
    receipt?.addResponseBytes(chunk);
    res.write(chunk);
  }
}

function unstreamedHeaders(delivery: Delivery, body: Uint8Array, paid: HeaderList): HeaderList {
  const { bill } = delivery.inFlightCall;
  const headers = responseHeaders(delivery, 'json');
  for (const text of paid) headers.push(text);
  if (bill !== undefined) headers.push('x-weir-cost-usd', formatUsd(bill.nanoUsd));
  if (bill?.estimated === true) headers.push('x-weir-estimate', 'true');
  headers.push('content-length', String(body.byteLength));
  return headers;
}
